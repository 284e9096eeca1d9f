#include "client/tools/accelctl/views/top_frame.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::tools {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr size_t kColumns = 80;

Sample MakeSample(int64_t second, uint64_t executions) {
  Sample sample;
  sample.time = std::chrono::steady_clock::time_point(std::chrono::seconds(second));
  sample.address = "unix:/run/acceld.sock";
  sample.stats.version = "1.2.3";
  sample.stats.executions = executions;
  sample.devices = {{.id = 0, .kind = "cpu", .name = "a cpu", .executions = executions}};
  for (uint64_t id = 1; id <= 9; ++id) {
    client::SessionInfo session;
    session.id = id;
    session.client_name = absl::StrCat("client", id);
    session.queued = id;
    session.executions = executions;
    sample.sessions.push_back(session);
  }
  return sample;
}

client::EndedSessionInfo Ended(uint64_t id) {
  return {.id = id,
          .client_name = absl::StrCat("old", id),
          .identity = "uid:1001",
          .lasted_s = 723,
          .age_s = 5,
          .executions = 12,
          .reason = "its client's process is gone"};
}

int64_t LinesOf(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(TopFrameTest, ShowsRatesSinceTheLastPicture) {
  const Sample before = MakeSample(10, 100), now = MakeSample(12, 130);
  EXPECT_THAT(TopFrame(now, &before, 0, kColumns), HasSubstr("15.0/s"));
  EXPECT_THAT(TopFrame(now, nullptr, 0, kColumns), HasSubstr("-/s"));
  Sample other = MakeSample(10, 1000);
  other.stats.incarnation = 7;
  EXPECT_THAT(TopFrame(now, &other, 0, kColumns), HasSubstr("-/s"));
}

TEST(TopFrameTest, BusySessionsStandFirstAndTheRestIsCounted) {
  const std::string all = TopFrame(MakeSample(1, 1), nullptr, 0, kColumns);
  EXPECT_LT(all.find("client9"), all.find("client1"));
  EXPECT_THAT(all, Not(HasSubstr("more")));
  const std::string some = TopFrame(MakeSample(1, 1), nullptr, 13, kColumns);
  EXPECT_EQ(LinesOf(some), 13);
  EXPECT_THAT(some, HasSubstr("client9"));
  EXPECT_THAT(some, Not(HasSubstr("client1")));
  EXPECT_THAT(some, ContainsRegex("and [0-9] more\n$"));
}

TEST(TopFrameTest, EndedSessionsFillTheScreenBelowWhatRuns) {
  Sample sample = MakeSample(1, 1);
  sample.sessions.resize(1);
  sample.running = {{.device = 0, .session = 1, .program = "step", .age_s = 3}};
  for (uint64_t id = 20; id > 0; --id) sample.ended.push_back(Ended(id));
  const std::string frame = TopFrame(sample, nullptr, 24, kColumns);
  EXPECT_EQ(LinesOf(frame), 24);
  EXPECT_LT(frame.find("client1"), frame.find("step"));
  EXPECT_LT(frame.find("step"), frame.find("old20"));
  EXPECT_THAT(frame, ContainsRegex("\n +20  old20 +uid:1001 +12m03s +12 +its"));
  EXPECT_THAT(frame, HasSubstr("its client's process is gone\n"));
  EXPECT_THAT(frame, EndsWith("and 12 more\n"));
  EXPECT_THAT(TopFrame(sample, nullptr, 0, kColumns), EndsWith("its client's process is gone\n"));
}

TEST(TopFrameTest, WithoutClientsItSaysHowToConnect) {
  Sample sample = MakeSample(1, 1);
  sample.sessions.clear();
  EXPECT_THAT(TopFrame(sample, nullptr, 0, kColumns),
              HasSubstr("\nno sessions: waiting for clients at unix:/run/acceld.sock\n"
                        "to connect: accelctl --address unix:/run/acceld.sock run FILE\n"));
  sample.stats.draining = true;
  EXPECT_THAT(TopFrame(sample, nullptr, 0, kColumns),
              HasSubstr("\nno sessions: acceld takes none until `accelctl drain --undo`\n"));
}

TEST(TopFrameTest, AFrameFitsAScreenOfAnySize) {
  Sample sample = MakeSample(1, 1);
  sample.running = {{.device = 0, .session = 1, .program = "step", .age_s = 3}};
  for (uint64_t id = 64; id > 0; --id) sample.ended.push_back(Ended(id));
  for (size_t lines = 1; lines < 100; ++lines) {
    const std::string frame = TopFrame(sample, nullptr, lines, kColumns);
    EXPECT_LE(LinesOf(frame), static_cast<int64_t>(lines));
    for (const absl::string_view line : absl::StrSplit(frame, '\n')) {
      EXPECT_LE(Utf8Length(line), kColumns) << line;
    }
  }
}

}  // namespace
}  // namespace acceld::tools
