#include "server/config/command_line.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/config/config_fixture.h"

namespace acceld::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto Parse = testing::ParseArguments;

TEST(CommandLineTest, ZeroIsAMeaningOfEverySize) {
  const auto parsed = Parse({"--device-memory", "0", "--cache-disk-size", "0",
                             "--cache-memory-size", "0", "--max-session-memory", "0"});
  ASSERT_EQ(parsed.outcome, CommandLineOutcome::kRun) << parsed.errors;
  const engine::EngineOptions engine = parsed.Config().engine;
  EXPECT_EQ(engine.device_memory_bytes, 0);
  EXPECT_EQ(engine.cache_disk_bytes, 0);
  EXPECT_EQ(engine.cache_memory_bytes, 0);
  EXPECT_EQ(engine.max_session_bytes, 0);
}

TEST(CommandLineTest, WrongSizesAreRefusedWithFlagValueAndRange) {
  for (const char* flag : {"--device-memory", "--cache-disk-size", "--cache-memory-size",
                           "--max-session-memory", "--max-message-size"}) {
    for (const char* value : {"-1", "-5GiB", "lots", "2048TiB", "9999999999TiB"}) {
      const auto parsed = Parse({std::string(flag) + "=" + value});
      EXPECT_EQ(parsed.outcome, CommandLineOutcome::kExitUsage) << flag << " " << value;
      EXPECT_THAT(parsed.errors, AllOf(HasSubstr(flag), HasSubstr(value)));
    }
    EXPECT_EQ(Parse({flag, "-5GiB"}).outcome, CommandLineOutcome::kExitUsage);
  }
  EXPECT_THAT(Parse({"--max-message-size", "0"}).errors,
              HasSubstr("'0' is out of range; the least is 64KiB, the most 2147483647"));
  EXPECT_THAT(Parse({"--cache-memory-size", "1025TiB"}).errors,
              HasSubstr("'1025TiB' is out of range; the least is 0, the most 1024TiB"));
}

TEST(CommandLineTest, WrongCountsAndTimesAreRefused) {
  const std::vector<std::vector<std::string>> cases = {{"--cpu-devices", "0"},
                                                       {"--cpu-devices=-1"},
                                                       {"--cpu-devices=1.5"},
                                                       {"--threads-per-device=-1"},
                                                       {"--compile-threads", "1000000"},
                                                       {"--max-sessions", "0"},
                                                       {"--max-session-handles=-3"},
                                                       {"--max-session-programs", "0"},
                                                       {"--shutdown-grace", "nan"},
                                                       {"--shutdown-grace", "inf"},
                                                       {"--shutdown-grace=-1"},
                                                       {"--log-level", "loud"},
                                                       {"--listen", "0.0.0.0:7070"},
                                                       {"--nonsense"}};
  for (const std::vector<std::string>& arguments : cases) {
    const auto parsed = Parse(arguments);
    EXPECT_EQ(parsed.outcome, CommandLineOutcome::kExitUsage) << arguments[0];
    EXPECT_FALSE(parsed.errors.empty()) << arguments[0];
  }
}

TEST(CommandLineTest, PassesAreDisabledByName) {
  const auto parsed = Parse({"--disable-pass", "fuse", "--disable-pass=cse"});
  ASSERT_EQ(parsed.outcome, CommandLineOutcome::kRun) << parsed.errors;
  EXPECT_THAT(parsed.Config().engine.disabled_passes, ElementsAre("fuse", "cse"));

  const auto wrong = Parse({"--disable-pass", "fusion"});
  EXPECT_EQ(wrong.outcome, CommandLineOutcome::kExitUsage);
  EXPECT_THAT(wrong.errors, AllOf(HasSubstr("--disable-pass"), HasSubstr("'fusion'"),
                                  HasSubstr("cse, "), HasSubstr(", fuse")));
}

TEST(CommandLineTest, NoDiskCacheLeavesNoFolder) {
  EXPECT_EQ(Parse({"--no-disk-cache", "--cache-dir", "/x"}).Config().engine.cache_dir, "");
  EXPECT_EQ(Parse({"--cache-dir", "/x"}).Config().engine.cache_dir, "/x");
}

TEST(CommandLineTest, PrintConfigIsAskedFor) {
  EXPECT_EQ(Parse({"--print-config"}).outcome, CommandLineOutcome::kPrintConfig);
  EXPECT_EQ(Parse({"--help"}).outcome, CommandLineOutcome::kExitOk);
}

}  // namespace
}  // namespace acceld::config
