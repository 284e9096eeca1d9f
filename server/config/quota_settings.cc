#include "server/config/quota_settings.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace acceld::config {
namespace {

constexpr double kMaxSizeBytes = static_cast<double>(int64_t{1} << 50);
constexpr double kMaxCount = 1e9;
constexpr double kMaxPercent = 10'000;
constexpr double kMaxSeconds = 60.0 * 1024;  // the seconds of a minute, on 1024 threads

Setting SettingOf(const engine::QuotaInfo& info) {
  Setting setting{.name = std::string(info.name),
                  .help = std::string(info.help),
                  .group = "Quotas",
                  .reloadable = true};
  switch (info.kind) {
    case engine::QuotaKind::kSize:
      setting.type = SettingType::kSize;
      setting.fallback = int64_t{0};
      setting.max = kMaxSizeBytes;
      break;
    case engine::QuotaKind::kCount:
      setting.type = SettingType::kCount;
      setting.fallback = int64_t{0};
      setting.max = kMaxCount;
      break;
    case engine::QuotaKind::kPercent:
      setting.type = SettingType::kCount;
      setting.fallback = int64_t{0};
      setting.max = kMaxPercent;
      break;
    case engine::QuotaKind::kSeconds:
      setting.type = SettingType::kSeconds;
      setting.fallback = 0.0;
      setting.max = kMaxSeconds;
      break;
  }
  return setting;
}

std::string LimitText(const engine::QuotaInfo& info, int64_t limit) {
  const Value value = info.kind == engine::QuotaKind::kSeconds
                          ? Value(static_cast<double>(limit) / 1000)
                          : Value(limit);
  return TomlText(QuotaSettings()[static_cast<size_t>(info.id)], value);
}

std::string PrintTable(const std::string& name, const engine::QuotaLimits& limits) {
  std::string out = absl::StrCat("\n[quota.", name, "]\n");
  for (const engine::QuotaInfo& info : engine::QuotaInfos()) {
    absl::StrAppend(&out, info.name, " = ", LimitText(info, limits[static_cast<size_t>(info.id)]),
                    "\n");
  }
  return out;
}

void Compare(const std::string& name, const engine::QuotaLimits& before,
             const engine::QuotaLimits& after, std::vector<std::string>& changes) {
  for (const engine::QuotaInfo& info : engine::QuotaInfos()) {
    const auto i = static_cast<size_t>(info.id);
    if (before[i] == after[i]) continue;
    changes.push_back(absl::StrCat("quota.", name, ".", info.name, ": ", LimitText(info, before[i]),
                                   " -> ", LimitText(info, after[i])));
  }
}

}  // namespace

const std::vector<Setting>& QuotaSettings() {
  static const std::vector<Setting>* const settings = [] {
    auto* rows = new std::vector<Setting>;
    for (const engine::QuotaInfo& info : engine::QuotaInfos()) rows->push_back(SettingOf(info));
    return rows;
  }();
  return *settings;
}

int64_t QuotaLimitOf(const engine::QuotaInfo& info, const Value& value) {
  if (info.kind != engine::QuotaKind::kSeconds) return std::get<int64_t>(value);
  return static_cast<int64_t>(std::get<double>(value) * 1000);
}

std::string PrintQuotas(const engine::Quotas& quotas) {
  std::string out;
  if (quotas.others != engine::QuotaLimits{}) out = PrintTable("default", quotas.others);
  for (const auto& [identity, limits] : quotas.by_identity) {
    out += PrintTable(TomlQuoted(identity), limits);
  }
  return out;
}

std::vector<std::string> CompareQuotas(const engine::Quotas& before, const engine::Quotas& after) {
  std::vector<std::string> changes;
  Compare("default", before.others, after.others, changes);
  std::set<std::string> names;
  for (const engine::Quotas* quotas : {&before, &after}) {
    for (const auto& [identity, limits] : quotas->by_identity) names.insert(identity);
  }
  for (const std::string& name : names) {
    Compare(TomlQuoted(name), before.Of(name), after.Of(name), changes);
  }
  return changes;
}

}  // namespace acceld::config
