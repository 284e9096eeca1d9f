#include "server/config/command_line.h"

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "common/cli/documents.h"
#include "common/cli/parse.h"
#include "server/config/schema.h"

namespace acceld::config {
namespace {

constexpr char kDescription[] =
    "owns this machine's accelerators, compiles each program once for everyone and runs the "
    "work of many clients";

constexpr char kFooter[] = R"(
Examples:
  acceld                                   on the default socket, one CPU device
  acceld --listen unix:/run/me/acceld.sock --listen 127.0.0.1:7070
  acceld --listen tls://0.0.0.0:7070 --tls-cert host.pem --tls-key host.key \
      --access-tokens tokens
  acceld --cpu-devices 2 --device-memory 4GiB --cache-dir /var/cache/acceld

Every setting may also stand in a file (--config, else
~/.config/acceld/config.toml or /etc/acceld/config.toml), as
`max-sessions = 100`, or in the environment, as ACCELD_MAX_SESSIONS=100. A flag
stands before the environment, and that before the file. SIGHUP reads the file
again.

Clients look at $ACCELD_ADDRESS, then at $XDG_RUNTIME_DIR/acceld.sock or,
without that folder, /tmp/acceld-<uid>/acceld.sock, which is also where the
daemon listens by default, and then at /run/acceld/acceld.sock, where the
machine's own is. Sockets that systemd passes stand in for the default. SIGTERM
or Ctrl-C stops it after the work in flight (--shutdown-grace); a second one at
once.

Ends with 0 after a signal or when it is idle (--exit-when-idle), with 2 for
settings that are wrong, with 3 when another daemon listens at its address, and
with 1 for all other errors.)";

// The placeholder for a flag's value in the help, as "SIZE".
std::string TypeName(const Setting& setting) {
  switch (setting.type) {
    case SettingType::kSwitch:
      return "";
    case SettingType::kCount:
      return "COUNT";
    case SettingType::kSize:
      return "SIZE";
    case SettingType::kSeconds:
      return "SECONDS";
    case SettingType::kText:
    case SettingType::kList:
      return setting.value_name;
  }
  return "";
}

std::string Help(const Setting& setting) {
  if (setting.type == SettingType::kSwitch) return setting.help;
  const std::string fallback =
      setting.fallback_note.empty() ? TomlText(setting, setting.fallback) : setting.fallback_note;
  if (fallback.empty() || fallback == "[]" || fallback == "\"\"") return setting.help;
  return absl::StrCat(setting.help, " [", fallback, "]");
}

// Returns the value that a flag gives to a setting; an element, for a list. INVALID_ARGUMENT quotes
// the text and says what it may be.
absl::StatusOr<Value> FlagValue(const Setting& setting, const std::string& text) {
  absl::StatusOr<Value> value = Value(std::vector<std::string>{text});
  if (setting.type != SettingType::kList) value = ParseValue(setting, text);
  ACCELD_RETURN_IF_ERROR(value.status());
  ACCELD_RETURN_IF_ERROR(CheckValue(setting, *value));
  return value;
}

void AddSetting(CLI::App& app, const Setting& setting, std::map<std::string, Value>& flags) {
  const std::string name = "--" + setting.name;
  CLI::Option* option = nullptr;
  switch (setting.type) {
    case SettingType::kSwitch:
      app.add_flag_function(
             name, [&](int64_t count) { flags[setting.name] = Value(count > 0); }, Help(setting))
          ->group(setting.group);
      return;
    case SettingType::kList:
      option =
          app.add_option_function<std::vector<std::string>>(
                 name,
                 [&](const std::vector<std::string>& texts) { flags[setting.name] = Value(texts); },
                 Help(setting))
              ->allow_extra_args(false);
      break;
    case SettingType::kCount:
    case SettingType::kSize:
    case SettingType::kSeconds:
    case SettingType::kText:
      option = app.add_option_function<std::string>(
          name,
          // The check below has accepted the text.
          [&](const std::string& text) { flags[setting.name] = *FlagValue(setting, text); },
          Help(setting));
      break;
  }
  option->check(CLI::Validator(
      [&setting](const std::string& text) {
        return std::string(FlagValue(setting, text).status().message());
      },
      ""));
  option->type_name(TypeName(setting))->group(setting.group);
}

}  // namespace

CommandLineOutcome ParseCommandLine(int argc, char** argv, absl::string_view version,
                                    FixedSources& sources) {
  CLI::App app(kDescription, "acceld");
  app.footer(kFooter);
  app.set_version_flag("--version", absl::StrCat("acceld ", std::string(version)));
  bool print_config = false;
  if (const char* file = std::getenv("ACCELD_CONFIG"); file != nullptr) sources.file = file;
  app.add_option("--config", sources.file, "read settings from this file [$ACCELD_CONFIG]")
      ->type_name("FILE");
  app.add_flag("--print-config", print_config,
               "print every setting and where it comes from, in the file's format, and end");
  bool detach = false;
  app.add_flag("--detach", detach,
               "go on in the background, without a terminal: the command ends when clients can "
               "connect, or with the daemon's exit status when it cannot start");
  for (const Setting& setting : Settings()) AddSetting(app, setting, sources.flags);
  cli::AddGenerate(app, {.summary = "daemon that runs programs on accelerators for many clients",
                         .version = std::string(version),
                         .section = 8});
  if (const absl::optional<int> status = cli::Parse(app, argc, argv); status.has_value()) {
    return *status == 0 ? CommandLineOutcome::kExitOk : CommandLineOutcome::kExitUsage;
  }
  absl::StatusOr<std::map<std::string, Value>> environment = ReadEnvironment();
  if (!environment.ok()) {
    std::cerr << "acceld: " << environment.status().message() << "\n";
    return CommandLineOutcome::kExitUsage;
  }
  sources.environment = *std::move(environment);
  if (print_config) return CommandLineOutcome::kPrintConfig;
  return detach ? CommandLineOutcome::kRunDetached : CommandLineOutcome::kRun;
}

}  // namespace acceld::config
