#include "server/config/config_file.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/files/file.h"
#include "server/config/quota_settings.h"
#include "server/config/schema.h"

// Some texts ("[[[" is one) violate assertions of the toml++ library, which tells the compiler to
// assume them where NDEBUG is defined. Here a failed assertion throws an exception instead, which
// ParseToml turns into an error.
namespace {
struct BrokenAssertion {};
[[noreturn]] void ThrowBrokenAssertion() { throw BrokenAssertion{}; }
}  // namespace
#undef NDEBUG
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : ThrowBrokenAssertion())
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#include "toml++/toml.h"

namespace acceld::config {
namespace {

// Bounds the input of the parser; far above the size of any real configuration.
constexpr size_t kMaxFileBytes = size_t{4} << 20;

absl::Status At(absl::string_view path, int line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ":", line, ": ", what));
}

int LineOf(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

// Formats a node as in the file.
std::string TextOf(const toml::node& node) {
  std::ostringstream out;
  node.visit([&out](const auto& value) { out << toml::toml_formatter{value}; });
  return out.str();
}

absl::Status Unlike(const toml::node& node, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(TextOf(node), " is not ", expected));
}

absl::StatusOr<Value> ValueOf(const Setting& setting, const toml::node& node) {
  switch (setting.type) {
    case SettingType::kSwitch:
      if (!node.is_boolean()) return Unlike(node, "true or false");
      return Value(node.as_boolean()->get());
    case SettingType::kCount:
      if (!node.is_integer()) return Unlike(node, "a whole number");
      return Value(node.as_integer()->get());
    case SettingType::kSize:
      if (node.is_integer()) return Value(node.as_integer()->get());
      if (!node.is_string()) return Unlike(node, "a size; write it like 4096 or \"64MiB\"");
      return ParseValue(setting, node.as_string()->get());
    case SettingType::kSeconds:
      if (!node.is_number()) return Unlike(node, "a number of seconds");
      return Value(*node.value<double>());
    case SettingType::kText:
      if (!node.is_string()) return Unlike(node, "a string");
      return Value(node.as_string()->get());
    case SettingType::kList: {
      if (!node.is_array()) return Unlike(node, "an array of strings");
      std::vector<std::string> texts;
      for (const toml::node& element : *node.as_array()) {
        if (!element.is_string()) return Unlike(node, "an array of strings");
        texts.push_back(element.as_string()->get());
      }
      return Value(std::move(texts));
    }
  }
  return absl::InternalError(setting.name);
}

absl::StatusOr<toml::table> ParseToml(absl::string_view text, absl::string_view path) {
  try {
    return toml::parse(std::string_view(text.data(), text.size()));
  } catch (const toml::parse_error& error) {
    const std::string_view why = error.description();
    return At(path, static_cast<int>(error.source().begin.line),
              absl::string_view(why.data(), why.size()));
  } catch (const BrokenAssertion&) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no TOML"));
  }
}

// Reads the table [quota.`name`] into `limits`.
absl::Status ReadQuota(const toml::node& node, absl::string_view path, const std::string& name,
                       engine::QuotaLimits& limits) {
  if (!node.is_table()) {
    return At(path, LineOf(node), absl::StrCat("quota.", name, ": ", TextOf(node), " is no table"));
  }
  for (const auto& [key, value_node] : *node.as_table()) {
    const std::string full_name = absl::StrCat("quota.", name, ".", std::string(key.str()));
    const engine::QuotaInfo* info = nullptr;
    for (const engine::QuotaInfo& one : engine::QuotaInfos()) {
      if (one.name == absl::string_view(key.str().data(), key.str().size())) info = &one;
    }
    if (info == nullptr) {
      return At(path, static_cast<int>(key.source().begin.line),
                absl::StrCat("there is no quota '", full_name, "'"));
    }
    const auto index = static_cast<size_t>(info->id);
    const Setting& setting = QuotaSettings()[index];
    absl::StatusOr<Value> value = ValueOf(setting, value_node);
    absl::Status status = value.status();
    if (status.ok()) status = CheckValue(setting, *value);
    if (!status.ok()) {
      return At(path, LineOf(value_node), absl::StrCat(full_name, ": ", status.message()));
    }
    limits[index] = QuotaLimitOf(*info, *value);
  }
  return absl::OkStatus();
}

absl::Status ReadQuotas(const toml::node& node, absl::string_view path, engine::Quotas& quotas) {
  if (!node.is_table()) {
    return At(path, LineOf(node), "quota is no table; write [quota.default]");
  }
  const toml::table& tables = *node.as_table();
  if (const toml::node* const others = tables.get("default"); others != nullptr) {
    ACCELD_RETURN_IF_ERROR(ReadQuota(*others, path, "default", quotas.others));
  }
  for (const auto& [key, table] : tables) {
    const std::string name(key.str());
    if (name == "default") continue;
    engine::QuotaLimits limits = quotas.others;
    ACCELD_RETURN_IF_ERROR(ReadQuota(table, path, name, limits));
    quotas.by_identity.emplace(name, limits);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ConfigFile> ParseConfigFile(absl::string_view text, absl::string_view path) {
  ACCELD_ASSIGN_OR_RETURN(const toml::table table, ParseToml(text, path));
  ConfigFile file;
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const int line = static_cast<int>(key.source().begin.line);
    if (name == "quota") {
      ACCELD_RETURN_IF_ERROR(ReadQuotas(node, path, file.quotas));
      continue;
    }
    const Setting* setting = FindSetting(name);
    if (setting == nullptr) {
      return At(path, line,
                absl::StrCat("there is no setting '", name, "'; acceld --print-config lists them"));
    }
    absl::StatusOr<Value> value = ValueOf(*setting, node);
    absl::Status status = value.status();
    if (status.ok()) status = CheckValue(*setting, *value);
    if (!status.ok()) {
      return At(path, LineOf(node), absl::StrCat(name, ": ", status.message()));
    }
    file.entries.emplace(name, ConfigFile::Entry{*std::move(value), line});
  }
  return file;
}

absl::StatusOr<ConfigFile> ReadConfigFile(const std::string& path) {
  ACCELD_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path, kMaxFileBytes));
  return ParseConfigFile(text, path);
}

std::string FindConfigFile() {
  std::vector<std::string> paths;
  const char* folder = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (folder != nullptr && *folder != '\0') {
    paths.push_back(absl::StrCat(folder, "/acceld/config.toml"));
  } else if (home != nullptr && *home != '\0') {
    paths.push_back(absl::StrCat(home, "/.config/acceld/config.toml"));
  }
  paths.push_back("/etc/acceld/config.toml");
  for (const std::string& path : paths) {
    if (access(path.c_str(), F_OK) == 0) return path;
  }
  return "";
}

}  // namespace acceld::config
