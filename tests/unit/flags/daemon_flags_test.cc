#include "server/flags/daemon_flags.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parsed {
  FlagsOutcome outcome;
  DaemonFlags flags;
  std::string errors;  // what the user reads
};

Parsed Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "acceld");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  Parsed out;
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  out.outcome = ParseDaemonFlags(static_cast<int>(argv.size()), argv.data(), "1.2.3", out.flags);
  ::testing::internal::GetCapturedStdout();
  out.errors = ::testing::internal::GetCapturedStderr();
  return out;
}

TEST(ParseSizeBytesTest, TakesUnits) {
  EXPECT_EQ(*ParseSizeBytes("0"), 0);
  EXPECT_EQ(*ParseSizeBytes("4096"), 4096);
  EXPECT_EQ(*ParseSizeBytes("4096B"), 4096);
  EXPECT_EQ(*ParseSizeBytes("512KiB"), 512 << 10);
  EXPECT_EQ(*ParseSizeBytes("64mib"), 64 << 20);
  EXPECT_EQ(*ParseSizeBytes("2GiB"), int64_t{2} << 30);
  EXPECT_EQ(*ParseSizeBytes("3TiB"), int64_t{3} << 40);
}

TEST(ParseSizeBytesTest, QuotesWhatIsNoSize) {
  for (const char* text :
       {"", "KiB", "-1", "+1", " 1", "1 KiB", "1.5GiB", "1KB", "1e9", "0x10", "many", "nan"}) {
    EXPECT_THAT(ParseSizeBytes(text), IsRefused(std::string("'") + text + "' is not a size"))
        << text;
  }
  EXPECT_THAT(ParseSizeBytes("9223372036854775808"), IsRefused("is more than 2^63 bytes"));
  EXPECT_THAT(ParseSizeBytes("8388608TiB"), IsRefused("'8388608TiB' is more than 2^63 bytes"));
}

TEST(DaemonFlagsTest, ZeroIsAMeaningOfEverySize) {
  const Parsed parsed = Parse({"--device-memory", "0", "--cache-disk-size", "0",
                               "--cache-memory-size", "0", "--max-session-memory", "0"});
  EXPECT_EQ(parsed.outcome, FlagsOutcome::kRun) << parsed.errors;
  EXPECT_EQ(parsed.flags.engine.device_memory_bytes, 0);
  EXPECT_EQ(parsed.flags.engine.cache_disk_bytes, 0);
  EXPECT_EQ(parsed.flags.engine.cache_memory_bytes, 0);
  EXPECT_EQ(parsed.flags.engine.max_session_bytes, 0);
}

TEST(DaemonFlagsTest, WrongSizesAreRefusedWithFlagValueAndRange) {
  for (const char* flag : {"--device-memory", "--cache-disk-size", "--cache-memory-size",
                           "--max-session-memory", "--max-message-size"}) {
    for (const char* value : {"-1", "-5GiB", "lots", "2048TiB", "9999999999TiB"}) {
      const Parsed parsed = Parse({std::string(flag) + "=" + value});
      EXPECT_EQ(parsed.outcome, FlagsOutcome::kExitUsage) << flag << " " << value;
      EXPECT_THAT(parsed.errors, AllOf(HasSubstr(flag), HasSubstr(value)));
    }
    EXPECT_EQ(Parse({flag, "-5GiB"}).outcome, FlagsOutcome::kExitUsage);
  }
  EXPECT_THAT(Parse({"--max-message-size", "0"}).errors,
              HasSubstr("'0' is out of range; the least is 64KiB, the most 2147483647"));
  EXPECT_THAT(Parse({"--cache-memory-size", "1025TiB"}).errors,
              HasSubstr("'1025TiB' is out of range; the least is 0, the most 1024TiB"));
}

TEST(DaemonFlagsTest, WrongCountsAndTimesAreRefused) {
  const std::vector<std::vector<std::string>> cases = {{"--cpu-devices", "0"},
                                                       {"--cpu-devices=-1"},
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
    const Parsed parsed = Parse(arguments);
    EXPECT_EQ(parsed.outcome, FlagsOutcome::kExitUsage) << arguments[0];
    EXPECT_FALSE(parsed.errors.empty()) << arguments[0];
  }
}

TEST(DaemonFlagsTest, PassesAreDisabledByName) {
  const Parsed parsed = Parse({"--disable-pass", "fuse", "--disable-pass=cse"});
  EXPECT_EQ(parsed.outcome, FlagsOutcome::kRun) << parsed.errors;
  EXPECT_THAT(parsed.flags.engine.disabled_passes, ElementsAre("fuse", "cse"));

  const Parsed wrong = Parse({"--disable-pass", "fusion"});
  EXPECT_EQ(wrong.outcome, FlagsOutcome::kExitUsage);
  EXPECT_THAT(wrong.errors, AllOf(HasSubstr("--disable-pass"), HasSubstr("'fusion'"),
                                  HasSubstr("cse, "), HasSubstr(", fuse")));
}

TEST(DaemonFlagsTest, NoDiskCacheLeavesNoFolder) {
  EXPECT_EQ(Parse({"--no-disk-cache", "--cache-dir", "/x"}).flags.engine.cache_dir, "");
  EXPECT_EQ(Parse({"--cache-dir", "/x"}).flags.engine.cache_dir, "/x");
}

}  // namespace
}  // namespace acceld
