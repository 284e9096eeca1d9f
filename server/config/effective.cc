#include "server/config/effective.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/config/config_file.h"
#include "server/config/quota_settings.h"
#include "server/config/schema.h"

namespace acceld::config {

absl::StatusOr<std::map<std::string, Value>> ReadEnvironment() {
  std::map<std::string, Value> values;
  for (const Setting& setting : Settings()) {
    const std::string name = EnvironmentName(setting);
    const char* const text = std::getenv(name.c_str());
    if (text == nullptr) continue;
    absl::StatusOr<Value> value = ParseValue(setting, text);
    absl::Status status = value.status();
    if (status.ok()) status = CheckValue(setting, *value);
    if (!status.ok()) return Annotate(status, name);
    values.emplace(setting.name, *std::move(value));
  }
  return values;
}

absl::StatusOr<Effective> Effective::Load(const FixedSources& fixed) {
  Effective effective;
  effective.file_ = fixed.file.empty() ? FindConfigFile() : fixed.file;
  ConfigFile file;
  if (!effective.file_.empty()) {
    ACCELD_ASSIGN_OR_RETURN(file, ReadConfigFile(effective.file_));
  }
  effective.quotas_ = std::move(file.quotas);
  for (const Setting& setting : Settings()) {
    Entry& entry = effective.entries_[setting.name];
    if (const auto flag = fixed.flags.find(setting.name); flag != fixed.flags.end()) {
      entry = {flag->second, "flag"};
    } else if (const auto variable = fixed.environment.find(setting.name);
               variable != fixed.environment.end()) {
      entry = {variable->second, "environment"};
    } else if (const auto line = file.entries.find(setting.name); line != file.entries.end()) {
      entry = {line->second.value, absl::StrCat(effective.file_, ":", line->second.line)};
    } else {
      // The default of --listen comes from the environment ($ACCELD_ADDRESS), so it may be wrong.
      ACCELD_RETURN_IF_ERROR(Annotate(CheckValue(setting, setting.fallback), setting.name));
      entry = {setting.fallback, kDefault};
    }
  }
  return effective;
}

void Effective::TakeReloadable(const Effective& newer) {
  for (const Setting& setting : Settings()) {
    if (setting.reloadable) entries_[setting.name] = newer.at(setting);
  }
  quotas_ = newer.quotas_;
}

DaemonConfig Effective::ToDaemonConfig() const {
  DaemonConfig config;
  for (const Setting& setting : Settings()) setting.apply(at(setting).value, config);
  config.engine.quotas = quotas_;
  if (!config.disk_cache) config.engine.cache_dir.clear();
  return config;
}

std::string Effective::Print() const {
  std::string out;
  const std::string* group = nullptr;
  for (const Setting& setting : Settings()) {
    if (group == nullptr || *group != setting.group) {
      absl::StrAppend(&out, group == nullptr ? "" : "\n", "# ", setting.group, "\n");
      group = &setting.group;
    }
    const Entry& entry = at(setting);
    absl::StrAppend(&out, setting.name, " = ", TomlText(setting, entry.value), "  # ", entry.source,
                    "\n");
  }
  return out + PrintQuotas(quotas_);
}

Changes Compare(const Effective& before, const Effective& after) {
  Changes changes;
  for (const Setting& setting : Settings()) {
    const Value& was = before.at(setting).value;
    const Value& is = after.at(setting).value;
    if (was == is) continue;
    std::string text = setting.secret ? absl::StrCat(setting.name, ": changed")
                                      : absl::StrCat(setting.name, ": ", TomlText(setting, was),
                                                     " -> ", TomlText(setting, is));
    (setting.reloadable ? changes.applied : changes.need_restart).push_back(std::move(text));
  }
  for (std::string& text : CompareQuotas(before.quotas(), after.quotas())) {
    changes.applied.push_back(std::move(text));
  }
  return changes;
}

}  // namespace acceld::config
