#include "server/config/config_file.h"

#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/status_matchers.h"

namespace acceld::config {
namespace {

absl::StatusOr<ConfigFile> Parse(const std::string& text) {
  return ParseConfigFile(text, "acceld.toml");
}

TEST(ConfigFileTest, EveryTypeIsRead) {
  const absl::StatusOr<ConfigFile> file = Parse(R"(
listen = ["unix:/run/a.sock", "127.0.0.1:7070"]
log-level = "debug"
shutdown-grace = 2.5
cpu-devices = 3
device-memory = "2GiB"
cache-memory-size = 4096
no-disk-cache = true
)");
  ASSERT_TRUE(file.ok()) << file.status();
  const auto value = [&](const char* name) { return file->entries.at(name).value; };
  EXPECT_EQ(value("listen"), Value(std::vector<std::string>{"unix:/run/a.sock", "127.0.0.1:7070"}));
  EXPECT_EQ(value("log-level"), Value(std::string("debug")));
  EXPECT_EQ(value("shutdown-grace"), Value(2.5));
  EXPECT_EQ(value("cpu-devices"), Value(int64_t{3}));
  EXPECT_EQ(value("device-memory"), Value(int64_t{2} << 30));
  EXPECT_EQ(value("cache-memory-size"), Value(int64_t{4096}));
  EXPECT_EQ(value("no-disk-cache"), Value(true));
  EXPECT_EQ(file->entries.at("cpu-devices").line, 5);
}

TEST(ConfigFileTest, ErrorsNameFileLineAndValue) {
  EXPECT_THAT(Parse("\nmax-sesions = 3\n"),
              IsRefused("acceld.toml:2: there is no setting 'max-sesions'"));
  EXPECT_THAT(Parse("max-sessions = \"three\""),
              IsRefused("acceld.toml:1: max-sessions: 'three' is not a whole number"));
  EXPECT_THAT(Parse("max-sessions = 1.5"),
              IsRefused("acceld.toml:1: max-sessions: 1.5 is not a whole number"));
  EXPECT_THAT(Parse("#\n#\nmax-sessions = 0"),
              IsRefused("acceld.toml:3: max-sessions: '0' is out of range; the least is 1"));
  EXPECT_THAT(Parse("device-memory = \"2 GB\""),
              IsRefused("acceld.toml:1: device-memory: '2 GB' is not a size"));
  EXPECT_THAT(Parse("shutdown-grace = \"soon\""), IsRefused("'soon' is not a number of seconds"));
  EXPECT_THAT(Parse("shutdown-grace = nan"), IsRefused("'nan' is out of range"));
  EXPECT_THAT(Parse("listen = \"unix:/a\""), IsRefused("'unix:/a' is not an array of strings"));
  EXPECT_THAT(Parse("listen = [1]"), IsRefused("is not an array of strings"));
  EXPECT_THAT(Parse("listen = [\"unix:/a\", \"10.0.0.1:7070\"]"), IsRefused("10.0.0.1"));
  EXPECT_THAT(Parse("log-level = \"loud\""),
              IsRefused("acceld.toml:1: log-level: log level 'loud'"));
  EXPECT_THAT(Parse("no-disk-cache = 1"), IsRefused("1 is not true or false"));
  EXPECT_THAT(Parse("[max-sessions]\nx = 1"), IsRefused("acceld.toml:1: max-sessions: "));
  EXPECT_THAT(Parse("a = 1\nb = = 2"), IsRefused("acceld.toml:2: "));
  EXPECT_THAT(Parse("max-sessions = 1\nmax-sessions = 2"), IsRefused("acceld.toml:2: "));
}

TEST(ConfigFileTest, HostileTextGetsAStatus) {
  EXPECT_FALSE(Parse(std::string(100'000, '[')).ok());
  EXPECT_FALSE(Parse("x = " + std::string(100'000, '[')).ok());
  EXPECT_FALSE(Parse(std::string("\xff\xfe\0", 3)).ok());
  EXPECT_FALSE(Parse("max-sessions = 99999999999999999999").ok());
}

TEST(ConfigFileTest, MutatedTextGetsAStatus) {
  const std::string valid =
      "listen = [\"unix:/run/a.sock\", '127.0.0.1:7070']\nlog-level = \"debug\"\n"
      "shutdown-grace = 2.5e0\ncpu-devices = 0x3\nno-disk-cache = true\n[[a.b]]\nc = {d = 1}\n"
      "e = 1979-05-27T07:32:00Z\nf = \"\"\"x\"\"\"\n";
  constexpr char kBytes[] = "[]{}\"'=.,#\n\\ -+0e_:TZu\x80\xff";
  std::mt19937 random(20261122);
  for (int round = 0; round < 20'000; ++round) {
    std::string text = valid.substr(random() % valid.size());
    for (int flips = 1 + random() % 6; flips > 0; --flips) {
      const char byte = kBytes[random() % (sizeof(kBytes) - 1)];
      if (random() % 2 == 0) {
        text[random() % text.size()] = byte;
      } else {
        text.insert(random() % text.size(), 1 + random() % 3, byte);
      }
    }
    (void)Parse(text);
  }
}

TEST(ConfigFileTest, AFileThatCannotBeReadSaysWhy) {
  EXPECT_THAT(ReadConfigFile("/nonexistent/acceld.toml"),
              FailsWith(absl::StatusCode::kNotFound, "/nonexistent/acceld.toml"));
  EXPECT_FALSE(ReadConfigFile("/tmp").ok());
  EXPECT_THAT(ReadConfigFile("/dev/null"), IsOk());
}

}  // namespace
}  // namespace acceld::config
