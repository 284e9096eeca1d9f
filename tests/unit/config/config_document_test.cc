// deploy/CONFIG.md is written from the table of settings; with ACCELD_UPDATE_TEXT_TESTS=1 it is
// written anew.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "server/config/config_file.h"
#include "server/config/quota_settings.h"
#include "server/config/schema.h"

namespace acceld::config {
namespace {

constexpr char kTitle[] = R"(# Configuration

Written by `config_document_test` from `server/config/schema.cc`; do not edit.

The daemon needs no configuration: every setting has a default. This document begins with the settings that people
change most often and with three complete files, then says how settings are given, and then lists all of them.
)";

// A setting that people change, and why they do.
struct Popular {
  const char* name;
  const char* why;
};
constexpr Popular kPopular[] = {
    {"listen",
     "to serve other machines (`tls://0.0.0.0:7070`), or to put the unix socket into a folder that "
     "several users can reach (`unix:/run/acceld/acceld.sock`)"},
    {"users",
     "to let other users in; `socket-mode` has to let them open the socket as well (`\"0660\"` or "
     "`\"0666\"`)"},
    {"cache-dir",
     "to keep compiled programs on another disk; the folder has to belong to the daemon's user, "
     "and "
     "nobody else may be able to write to it"},
    {"cuda-devices",
     "to leave GPUs to other programs: `\"0,1\"` offers these two only, `\"none\"` offers none"},
    {"cpu-devices",
     "to divide the processor into several devices, each with a part of the cores and of the "
     "memory; a program runs on one of them"},
    {"host-memory",
     "to make room for idle arrays of a full device; where several users share GPUs, about as much "
     "as the GPUs have together"},
    {"metrics-listen",
     "to have metrics for Prometheus and a status page: `\"9464\"` serves both at "
     "`http://127.0.0.1:9464/`"},
    {"log-level", "to see more (`\"debug\"`) or less (`\"warning\"`)"},
    {"remote-cache-url",
     "to share compiled programs among machines; `remote-cache-key-file` is needed as well"},
    {"max-session-memory",
     "to bound what one client may hold on a device; a quota bounds what all clients of one user "
     "hold together"},
};

// A whole configuration file.
struct Example {
  const char* title;
  const char* about;
  const char* file;
};
constexpr Example kExamples[] = {
    {"A laptop",
     "One person uses the daemon, and it leaves most of the machine to other programs. This is\n"
     "`~/.config/acceld/config.toml`, which also holds for daemons that JAX's plugin or `accelctl` "
     "start.",
     R"(threads-per-device = 4     # of the cores, for computing
compile-threads = 2        # programs that are compiled at the same time
device-memory = "4GiB"     # for arrays
cache-disk-size = "1GiB"   # for compiled programs, in ~/.cache/acceld
metrics-listen = "9464"    # a status page at http://127.0.0.1:9464/
)"},
    {"A GPU node for a team",
     "The members of the group `acceld` share four GPUs. This is `/etc/acceld/acceld.toml`, the "
     "file "
     "of the Debian package's\nservice. It has no `listen`: systemd opens the socket "
     "`/run/acceld/acceld.sock`, for the members of that group.",
     R"(users = ["group:acceld"]
admins = ["user:ann"]           # may see and end everybody's work, and drain the daemon
cuda-devices = "0,1,2,3"
host-memory = "256GiB"          # idle arrays move there when a GPU is full
cache-disk-size = "32GiB"
metrics-listen = "9464"
log-format = "json"

[quota.default]                 # of each user, over all of their processes
sessions = 32
max-execution-seconds = 3600

[quota."uid:1001"]              # a service that answers interactive requests
device-share = 300              # three times as much of a device's time as another user
)"},
    {"A node with TLS and a shared cache",
     "Clients on other machines connect through TLS and show a token. All nodes of the team share "
     "compiled programs in one\nRedis, which is also reached through TLS.",
     R"(listen = ["unix:/run/acceld/acceld.sock", "tls://0.0.0.0:7070"]
tls-cert = "/etc/acceld/host.pem"          # for the name by which clients reach this node
tls-key = "/etc/acceld/host.key"
access-tokens = "/etc/acceld/tokens"       # lines that accelctl token new NAME prints

remote-cache-url = "rediss://redis.example.org:6379/0"
remote-cache-password-file = "/etc/acceld/redis-password"
remote-cache-ca-file = "/etc/acceld/redis-ca.pem"
remote-cache-key-file = "/etc/acceld/team.key"   # signs entries: the same file on all nodes

metrics-listen = "127.0.0.1:9464"
)"},
};

constexpr char kForms[] = R"(
## How settings are given

Each setting is a flag (`--max-sessions 10`), an environment variable (`ACCELD_MAX_SESSIONS=10`) and a key of the
configuration file (`max-sessions = 10`). A flag takes precedence over the variable, the variable over the file, and the
file over the default.

The file is written in TOML. The daemon reads the file that `--config` or `ACCELD_CONFIG` names. If neither is given, it
reads `$XDG_CONFIG_HOME/acceld/config.toml` (`~/.config/acceld/config.toml` if that variable is not set), and if that file
does not exist, `/etc/acceld/config.toml`. An unknown key, a wrong type or a value out of range is an error that names the
file, the line and the value, and the daemon does not start.

Sizes are numbers of bytes, or strings with a unit: `"64MiB"`. Seconds may have a fraction. A list is an array of strings
in the file, is separated by commas in a variable, and is a repeated flag on the command line.

`acceld --print-config` prints the value of every setting and where it comes from, in the format of the file.

On SIGHUP the daemon reads the file again. Settings that are marked "reload" below take effect; changes of other settings
are logged as needing a restart; a file with an error changes nothing. The files of tokens, certificates, authorities and
the team's keys are also read again when they change, and one that cannot be used changes nothing. New calls are judged by
the new files; sessions that are open keep their role.
)";

constexpr char kQuotas[] = R"(
## Quotas

Quotas bound what all sessions of one identity (a user, a token or a certificate) may use together. They are tables of
the file: `[quota.default]` for everybody, and `[quota."NAME"]` for one identity, which takes what it leaves out from the
default table.

The default of every quota is 0. For `sessions`, `handles`, `queued`, `named-arrays`, `intake-memory`, `program-memory` and
`descriptors`, 0 means the identity's share of what all identities have together (`identity-share`); admins have no such
limit. For the other quotas 0 means that there is no limit.

Quotas take effect on reload, for requests that come later. A request beyond a quota fails with RESOURCE_EXHAUSTED. The
message says whose quota it is, how much is in use and how much was requested; the session goes on.

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

std::string PopularSettings() {
  std::string out =
      "\n## The ten settings that people change\n\n| setting | default | why people change it |\n"
      "|---|---|---|\n";
  for (const Popular& popular : kPopular) {
    const Setting* const setting = FindSetting(popular.name);
    if (setting == nullptr) continue;  // PopularSettingsExist reports it
    absl::StrAppend(&out, "| `", popular.name, "` | ", Fallback(*setting), " | ", popular.why,
                    " |\n");
  }
  return out;
}

std::string Examples() {
  std::string out =
      "\n## Three complete files\n\n`acceld --config FILE --print-config` checks a file without "
      "starting a daemon.\n";
  for (const Example& example : kExamples) {
    absl::StrAppend(&out, "\n### ", example.title, "\n\n", example.about, "\n\n```toml\n",
                    example.file, "```\n");
  }
  return out;
}

std::string Document() {
  std::string out = absl::StrCat(kTitle, PopularSettings(), Examples(), kForms);
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

TEST(ConfigDocument, PopularSettingsExist) {
  for (const Popular& popular : kPopular) {
    EXPECT_NE(FindSetting(popular.name), nullptr) << popular.name;
  }
}

TEST(ConfigDocument, ExamplesAreConfigurationFiles) {
  for (const Example& example : kExamples) {
    const absl::Status status = ParseConfigFile(example.file, example.title).status();
    EXPECT_TRUE(status.ok()) << status;
  }
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
