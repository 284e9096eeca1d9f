#include "server/config/effective.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/config/config_file.h"
#include "server/config/schema.h"
#include "tests/support/daemon/process.h"
#include "tests/unit/config/config_fixture.h"
#include "tests/unit/status_matchers.h"

namespace acceld::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EffectiveTest : public ::testing::Test {
 protected:
  Effective Load(const std::string& text, const std::vector<std::string>& arguments = {}) {
    std::ofstream(path_) << text;
    FixedSources sources = testing::ParseArguments(arguments).sources;
    sources.file = path_;
    absl::StatusOr<Effective> effective = Effective::Load(sources);
    EXPECT_TRUE(effective.ok()) << effective.status();
    return effective.ok() ? *std::move(effective) : Effective();
  }
  static const Effective::Entry& At(const Effective& effective, const char* name) {
    return effective.at(*FindSetting(name));
  }

  testing::TempDir folder_;
  const std::string path_ = folder_.path() + "/config.toml";
};

TEST_F(EffectiveTest, FlagBeforeEnvironmentBeforeFileBeforeDefault) {
  setenv("ACCELD_MAX_SESSIONS", "20", 1);
  setenv("ACCELD_CPU_DEVICES", "4", 1);
  const Effective effective =
      Load("max-sessions = 10\ncpu-devices = 2\ncompile-threads = 5\n", {"--max-sessions", "30"});
  unsetenv("ACCELD_MAX_SESSIONS");
  unsetenv("ACCELD_CPU_DEVICES");
  EXPECT_EQ(At(effective, "max-sessions").value, Value(int64_t{30}));
  EXPECT_EQ(At(effective, "max-sessions").source, "flag");
  EXPECT_EQ(At(effective, "cpu-devices").value, Value(int64_t{4}));
  EXPECT_EQ(At(effective, "cpu-devices").source, "environment");
  EXPECT_EQ(At(effective, "compile-threads").value, Value(int64_t{5}));
  EXPECT_EQ(At(effective, "compile-threads").source, path_ + ":3");
  EXPECT_EQ(At(effective, "decode-threads").source, "default");
}

TEST_F(EffectiveTest, WrongVariablesAreRefusedByName) {
  setenv("ACCELD_MAX_SESSIONS", "0", 1);
  const auto parsed = testing::ParseArguments({});
  unsetenv("ACCELD_MAX_SESSIONS");
  EXPECT_EQ(parsed.outcome, CommandLineOutcome::kExitUsage);
  EXPECT_THAT(parsed.errors, HasSubstr("ACCELD_MAX_SESSIONS: '0' is out of range"));
}

TEST_F(EffectiveTest, ListsInVariablesAreSeparatedByCommas) {
  setenv("ACCELD_DISABLE_PASS", "cse, fuse", 1);
  const Effective effective = Load("");
  unsetenv("ACCELD_DISABLE_PASS");
  EXPECT_THAT(effective.ToDaemonConfig().engine.disabled_passes, ElementsAre("cse", "fuse"));
}

TEST_F(EffectiveTest, WhatIsPrintedReadsBackAsTheSame) {
  const Effective effective =
      Load("shutdown-grace = 0.3\ndump-dir = \"a \\\"b\\\\ c\"\nlisten = [\"unix:/x\"]\n",
           {"--device-memory", "1234567", "--no-disk-cache", "--disable-pass", "cse"});
  const Effective again = Load(effective.Print());
  for (const Setting& setting : Settings()) {
    EXPECT_EQ(again.at(setting).value, effective.at(setting).value) << setting.name;
  }
  EXPECT_THAT(effective.Print(), HasSubstr("shutdown-grace = 0.3  # " + path_ + ":1\n"));
  EXPECT_THAT(effective.Print(), HasSubstr("device-memory = 1234567  # flag\n"));
}

TEST_F(EffectiveTest, QuotasOfIdentitiesTakeWhatTheyLeaveOutFromTheDefault) {
  const Effective effective = Load(R"(
max-sessions = 10
[quota."uid:7"]
handles = 5
compile-time = 1.5
[quota.default]
device-memory = "1MiB"
handles = 9
)");
  const engine::Quotas quotas = effective.ToDaemonConfig().engine.quotas;
  const auto limits = [](int64_t handles, int64_t compile_ms) {
    engine::QuotaLimits limits{};  // The others have none.
    limits[static_cast<size_t>(engine::QuotaId::kDeviceMemory)] = 1 << 20;
    limits[static_cast<size_t>(engine::QuotaId::kHandles)] = handles;
    limits[static_cast<size_t>(engine::QuotaId::kCompileTime)] = compile_ms;
    return limits;
  };
  EXPECT_EQ(quotas.others, limits(9, 0));
  EXPECT_EQ(quotas.Of("uid:7"), limits(5, 1500));
  EXPECT_EQ(quotas.Of("uid:8"), limits(9, 0));
  EXPECT_THAT(Compare(effective, Load(effective.Print())).applied, ElementsAre());
  const Changes changes = Compare(effective, Load("[quota.default]\nhandles = 9\n"));
  EXPECT_THAT(changes.applied, ElementsAre("quota.default.device-memory: \"1MiB\" -> 0",
                                           "quota.\"uid:7\".device-memory: \"1MiB\" -> 0",
                                           "quota.\"uid:7\".handles: 5 -> 9",
                                           "quota.\"uid:7\".compile-time: 1.5 -> 0"));
}

TEST_F(EffectiveTest, WrongQuotasAreRefusedByLine) {
  const auto error_of = [](absl::string_view text) {
    return std::string(ParseConfigFile(text, "f").status().message());
  };
  EXPECT_EQ(error_of("quota = 3"), "f:1: quota is no table; write [quota.default]");
  EXPECT_EQ(error_of("[quota]\nann = 3"), "f:2: quota.ann: 3 is no table");
  EXPECT_EQ(error_of("[quota.ann]\nfoo = 3"), "f:2: there is no quota 'quota.ann.foo'");
  EXPECT_EQ(error_of("[quota.ann]\nhandles = -1"),
            "f:2: quota.ann.handles: '-1' is out of range; the least is 0, the most 1000000000");
}

TEST_F(EffectiveTest, DefaultsAreInTheirRanges) {
  for (const Setting& setting : Settings()) {
    EXPECT_THAT(CheckValue(setting, setting.fallback), IsOk()) << setting.name;
  }
}

TEST_F(EffectiveTest, AChangeAppliesOrNeedsARestart) {
  const Effective before = Load("log-level = \"info\"\nmax-message-size = \"1MiB\"\n");
  const Effective after = Load("log-level = \"debug\"\nmax-message-size = \"2MiB\"\n");
  const Changes changes = Compare(before, after);
  EXPECT_THAT(changes.applied, ElementsAre("log-level: \"info\" -> \"debug\""));
  EXPECT_THAT(changes.need_restart, ElementsAre("max-message-size: \"1MiB\" -> \"2MiB\""));
  Effective running = before;
  running.TakeReloadable(after);
  EXPECT_TRUE(Compare(running, after).applied.empty());
  EXPECT_EQ(Compare(running, after).need_restart.size(), 1u);
}

TEST_F(EffectiveTest, AChangeOfWhatMayHoldAPasswordIsNotSpelledOut) {
  const Effective before = Load("remote-cache-url = \"redis://:hush@one\"\n");
  const Effective after = Load("remote-cache-url = \"redis://:hush2@two\"\n");
  EXPECT_THAT(Compare(before, after).need_restart, ElementsAre("remote-cache-url: changed"));
}

TEST_F(EffectiveTest, ANamedFileMustExist) {
  FixedSources sources;
  sources.file = folder_.path() + "/other.toml";
  EXPECT_THAT(Effective::Load(sources), FailsWith(absl::StatusCode::kNotFound, "other.toml"));
}

}  // namespace
}  // namespace acceld::config
