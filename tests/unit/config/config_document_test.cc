// deploy/CONFIG.md is written from the table of settings; with ACCELD_UPDATE_TEXT_TESTS=1 it is
// written anew.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "server/config/quota_settings.h"
#include "server/config/schema.h"

namespace acceld::config {
namespace {

constexpr char kIntroduction[] = R"(# Configuration

Written by `config_document_test` from `server/config/schema.cc`; do not edit.

Every setting below is a flag (`--max-sessions 10`), a variable (`ACCELD_MAX_SESSIONS=10`) and a key of the
configuration file (`max-sessions = 10`). A flag stands before the environment, that before the file, that before the
default. The file is TOML: the one named by `--config` or `ACCELD_CONFIG`, else `$XDG_CONFIG_HOME/acceld/config.toml`
(`~/.config/acceld/config.toml`), else `/etc/acceld/config.toml`; without any, the defaults hold. An unknown key, a
wrong type or a value out of range is an error that names file, line and value, and the daemon does not start.

`acceld --print-config` prints what holds, each value with its source, in the file's own format. On SIGHUP the daemon
reads the file again: what is marked "reload" takes effect, other changes are logged as needing a restart, and a file
with an error changes nothing.

The files of tokens, certificates, authorities and the team's keys are read again on SIGHUP and when they change, too;
one that cannot be used changes nothing. Calls from then on are judged by what they say; sessions that are open keep
their role.

Sizes are bytes, or strings with a unit: `"64MiB"`. Seconds may have a fraction. Lists are arrays of strings in the
file, separated by commas in a variable, and repeated flags on the command line.
)";

constexpr char kQuotas[] = R"(
## Quotas

What the sessions of one identity may use together, in tables of the file: `[quota.default]` for everybody, and
`[quota."NAME"]` for one identity, which takes what it leaves out from the default. 0, the default, is no limit, but for
`sessions`, `handles`, `queued`, `named-arrays`, `intake-memory`, `program-memory` and `descriptors` an identity's share of what all have (`identity-share`);
admins have no shares. All of it takes effect on reload, for what is asked from then on. A request beyond a quota fails
with RESOURCE_EXHAUSTED, and says whose quota it is, how much is in use and what was asked; the session goes on.

```toml
[quota.default]
device-memory = "8GiB"
sessions = 4

[quota."uid:1001"]
device-memory = "32GiB"
compile-time = 30
```

| quota | value | what it is |
|---|---|---|
)";

std::string Fallback(const Setting& setting) {
  if (!setting.fallback_note.empty()) return setting.fallback_note;
  return absl::StrCat("`", TomlText(setting, setting.fallback), "`");
}

std::string Document() {
  std::string out = kIntroduction;
  std::string group;
  for (const Setting& setting : Settings()) {
    if (setting.group != group) {
      group = setting.group;
      absl::StrAppend(&out, "\n## ", group,
                      "\n\n| setting | value | default | reload | what it is |\n"
                      "|---|---|---|---|---|\n");
    }
    absl::StrAppend(&out, "| `", setting.name, "` | ", TypeText(setting), " | ", Fallback(setting),
                    " | ", setting.reloadable ? "yes" : "", " | ",
                    absl::StrReplaceAll(setting.help, {{"|", "\\|"}}), " |\n");
  }
  absl::StrAppend(&out, kQuotas);
  for (const Setting& setting : QuotaSettings()) {
    absl::StrAppend(&out, "| `", setting.name, "` | ", TypeText(setting), " | ", setting.help,
                    " |\n");
  }
  return out;
}

TEST(ConfigDocument, IsWhatTheTableSays) {
  const std::string path = ACCELD_CONFIG_DOCUMENT;
  if (std::getenv("ACCELD_UPDATE_TEXT_TESTS") != nullptr) std::ofstream(path) << Document();
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, Document()) << "write it anew: ACCELD_UPDATE_TEXT_TESTS=1 config_document_test";
}

}  // namespace
}  // namespace acceld::config
