// What accelctl shows of a daemon, from values as a daemon would give them.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/tools/accelctl/views/cache_text.h"
#include "client/tools/accelctl/views/counters.h"
#include "client/tools/accelctl/views/daemon_tables.h"
#include "client/tools/accelctl/views/session_tables.h"
#include "common/cli/text.h"
#include "common/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kKey(32, 'a');
const std::string kArchitecture = "x86_64-pc-linux-gnu-znver4-08f2deebb16b-abi5";

void ExpectFits(const std::string& text, size_t columns = 80) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(Utf8Length(line), columns) << line;
  }
}

// A program of 120 arguments.
client::CacheEntryInfo LargeEntry() {
  std::string types = "tensor<128x256xf32>";
  for (int i = 1; i < 120; ++i) absl::StrAppend(&types, ", tensor<128x256xf32>");
  return {.key = kKey,
          .program_name = "train_step",
          .signature = absl::StrCat("(", types, ") -> (", types, ")"),
          .architecture = kArchitecture,
          .size_bytes = 1'048'576'000,
          .on_disk = true,
          .compile_ms = 12'345,
          .age_s = 86'399,
          .producer = "a-node-with-a-rather-long-name.example.org"};
}

TEST(ListsTest, EverythingFitsEightyColumns) {
  ExpectFits(SessionTable({{.id = 1234567,
                            .client_name = "a-program-with-a-rather-long-name[4194303]",
                            .identity = "token:somebody-with-a-rather-long-name",
                            .priority = client::Priority::kInteractive,
                            .age_s = 86'399,
                            .arrays = 1'000'000,
                            .array_bytes = uint64_t{140} << 30,
                            .executions = 1'000'000'000,
                            .programs = 10'000,
                            .queued = 100'000}})
                 .Text(80, "sessions"));
  ExpectFits(RunningTable({{.device = 15,
                            .session = 1234567,
                            .identity = "token:somebody-with-a-rather-long-name",
                            .program = "a_program_with_a_rather_long_name",
                            .age_s = 86'399,
                            .on_device_s = 86'399,
                            .state = client::RunningExecution::State::kSuspended}})
                 .Text(80, "executions"));
  ExpectFits(EndedSessionTable({{.id = 1234567,
                                 .client_name = "a-program-with-a-rather-long-name[4194303]",
                                 .identity = "token:somebody-with-a-rather-long-name",
                                 .lasted_s = 86'399,
                                 .age_s = 86'399,
                                 .executions = 1'000'000'000,
                                 .reason = "the session was ended by an administrator: too long"}})
                 .Text(80, "sessions"));
  ExpectFits(DeviceTable({{.id = 15,
                           .kind = "cuda",
                           .name = "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
                           .architecture = kArchitecture,
                           .memory_limit_bytes = uint64_t{140} << 30,
                           .memory_used_bytes = uint64_t{140} << 30,
                           .memory_peak_bytes = uint64_t{140} << 30,
                           .executions = 1'000'000'000,
                           .queued = 100'000}})
                 .Text(80, "devices"));
  ExpectFits(NamedArrayTable({{.name = "team/model-7/layer.0.weight",
                               .owner = "token:somebody-with-a-rather-long-name",
                               .type = {ir::DType::kF32, {1024, 1024, 1024}},
                               .device = 15,
                               .age_s = 86'399}})
                 .Text(80, "named arrays"));
  for (const bool remote : {false, true}) {
    ExpectFits(CacheEntriesText({LargeEntry()}, remote, 80));
  }
  client::ServerStats stats;
  for (const CounterInfo& counter : CounterInfos()) stats.*counter.field = uint64_t{1} << 50;
  ExpectFits(CountersText(stats, 80));
  stats.identities = {{.identity = "token:somebody-with-a-rather-long-name"}};
  ExpectFits(CacheStatsText(stats, 80));
}

TEST(ListsTest, DevicesInGangsAreNamed) {
  EXPECT_EQ(GangsText({{.id = 0}, {.id = 1, .gangs = 3}, {.id = 12, .gangs = 1}}),
            "devices in gangs: 1, 12");
  EXPECT_EQ(GangsText({{.id = 0}}), "");
}

TEST(ListsTest, AnEntryIsShownWithTheFirstOfItsTypes) {
  EXPECT_EQ(CacheEntriesText({LargeEntry()}, /*remote=*/false, 80),
            absl::StrCat("key                               memory  disk        size  compile"
                         "     age\n",
                         kKey,
                         "  -       yes   1000.0 MiB   12.3 s  23h59m\n"
                         "  train_step  120 arguments: tensor<128x256xf32>, +119 more; "
                         "120 results\n"));
  EXPECT_THAT(CacheEntriesText({LargeEntry()}, /*remote=*/true, 80),
              HasSubstr("\n  for " + kArchitecture + "\n"));
}

TEST(ListsTest, WideListsAreWhole) {
  const client::CacheEntryInfo entry = LargeEntry();
  const std::string text = CacheEntriesText({entry}, /*remote=*/true, cli::kUnlimitedColumns);
  EXPECT_THAT(text, HasSubstr(entry.signature));
  EXPECT_THAT(text, HasSubstr(entry.producer));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  const std::string sessions = SessionTable({{.id = 1, .client_name = std::string(200, 'c')}})
                                   .Text(cli::kUnlimitedColumns, "sessions");
  EXPECT_THAT(sessions, HasSubstr(std::string(200, 'c')));
  EXPECT_THAT(sessions, HasSubstr("programs"));
}

TEST(ListsTest, NothingIsSaidInTheSameWayEverywhere) {
  EXPECT_EQ(SessionTable({}).Text(80, "sessions"), "no sessions\n");
  EXPECT_EQ(NamedArrayTable({}).Text(80, "named arrays"), "no named arrays\n");
  EXPECT_EQ(CacheEntriesText({}, /*remote=*/false, 80), "no entries in the cache\n");
  EXPECT_EQ(CacheEntriesText({}, /*remote=*/true, 80),
            "no entries in the cache that daemons share\n");
  const std::string session = SessionTable({{.id = 1}}).Text(80, "sessions");
  EXPECT_THAT(session, HasSubstr("      1  -       -         normal"));
}

TEST(ListsTest, AnExplanationShowsWhatDiffers) {
  client::CacheExplanation explanation{
      .components = {{"program", "train 01", "train 01"},
                     {"arguments", LargeEntry().signature, LargeEntry().signature},
                     {"options", "", "fast"}},
      .nearest = LargeEntry()};
  explanation.components[1].wanted.replace(1, 19, "tensor<128x512xf32>");
  const std::string text = ExplanationText(explanation, 80);
  EXPECT_THAT(text, HasSubstr("  arguments     wanted   120 arguments, 1 differs: 0: "
                              "tensor<128x512xf32>\n"
                              "                nearest  120 arguments, 1 differs: 0: "
                              "tensor<128x256xf32>\n"));
  EXPECT_THAT(text, HasSubstr("  options       wanted   -\n                nearest  fast\n"));
  EXPECT_THAT(text, Not(HasSubstr("program")));

  explanation.tier = "disk";
  explanation.nearest.reset();
  const std::string found = ExplanationText(explanation, 80);
  EXPECT_THAT(found, HasSubstr("found: disk\n  program       train 01\n"));
  EXPECT_THAT(found, HasSubstr("+119 more\n  options       -\n"));
  ExpectFits(found);
}

TEST(ListsTest, CountersGoOnInTheNextLine) {
  client::ServerStats stats;
  stats.executions = 12;
  EXPECT_THAT(CountersText(stats, 80), HasSubstr("executions  12, 0 failed\n"));
  EXPECT_THAT(CountersText(stats, 60), HasSubstr("cache size  0 in memory (0 B), 0 on disk (0 B),\n"
                                                 "            0 unloaded for memory\n"));
}

}  // namespace
}  // namespace acceld::tools
