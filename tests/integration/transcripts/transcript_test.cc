#include "tests/integration/transcripts/transcript.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::testing {
namespace {

using ::testing::ElementsAre;

constexpr char kText[] =
    "# How to begin.\n"
    "$ accelctl top --once\n"
    "acceld 1\n"
    "\n"
    "no sessions\n"
    "\n"
    "# In two lines.\n"
    "$ accelctl run x.mlir \\\n"
    ">   --arg 1\n"
    "> still the command\n";

TEST(TranscriptTest, CommandsHaveTheirOutput) {
  const Transcript transcript = ParseTranscript(kText);
  ASSERT_EQ(transcript.size(), 2u);
  EXPECT_THAT(transcript[0].remarks, ElementsAre("# How to begin."));
  EXPECT_EQ(transcript[0].command, "accelctl top --once");
  EXPECT_THAT(transcript[0].output, ElementsAre("acceld 1", "", "no sessions"));
  EXPECT_EQ(transcript[1].command, "accelctl run x.mlir \\\n  --arg 1\nstill the command");
  EXPECT_THAT(transcript[1].output, ElementsAre());
}

TEST(TranscriptTest, WhatIsWrittenIsWhatIsRead) {
  EXPECT_EQ(FormatTranscript(ParseTranscript(kText)), kText);
  EXPECT_EQ(FormatTranscript(ParseTranscript("\n\n$ a\n\n\n$ b\nc\n\n\n")), "$ a\n\n$ b\nc\n");
  EXPECT_TRUE(ParseTranscript("").empty());
}

}  // namespace
}  // namespace acceld::testing
