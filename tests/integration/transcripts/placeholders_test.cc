#include "tests/integration/transcripts/placeholders.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace acceld::testing {
namespace {

const std::string kKey(32, 'a');

TEST(PlaceholdersTest, WhatVariesIsReplaced) {
  Placeholders placeholders;
  placeholders.AddValue("<host>", "node-7");
  placeholders.AddValue("<cpu>", "A CPU (R) @ 2.0");
  EXPECT_EQ(placeholders.Replace(absl::StrCat("found in 6.7 ms, 12m03s or 0 s: ", kKey)),
            "found in <time>, <time> or <time>: <digest>");
  EXPECT_EQ(placeholders.Replace("3.9 KiB of 512 B for uid:1001 of node-7"),
            "<size> of <size> for uid:<uid> of <host>");
  EXPECT_EQ(placeholders.Replace("A CPU (R) @ 2.0, and accelctl[4711]"),
            "<cpu>, and accelctl[<pid>]");
  EXPECT_EQ(placeholders.Replace("\"age_s\": 1.5e-05, \"memory_bytes\": 7, \"id\": 7"),
            "\"age_s\": <time>, \"memory_bytes\": <size>, \"id\": 7");
  EXPECT_EQ(placeholders.Replace("    61.521,"), "    <time>,");
}

TEST(PlaceholdersTest, ValuesThatAreCutToFitAreReplaced) {
  Placeholders placeholders;
  placeholders.AddValue("<cpu>", "A Processor (R) @ 2.0 GHz");
  EXPECT_EQ(placeholders.Replace("0  A Processor (R...  7"), "0  <cpu>              7");
  EXPECT_EQ(placeholders.Replace("0  A Proces...  7"), "0  <cpu>        7");
  EXPECT_EQ(placeholders.Replace("0  A Procurator...  A ..."), "0  A Procurator...  A ...");
  (void)placeholders.Replace("A Processor (R) @ 2.0 GHz, A Process...");
  EXPECT_EQ(placeholders.Fill("grep '<cpu>'"), "grep 'A Processor (R) @ 2.0 GHz'");
}

TEST(PlaceholdersTest, WhatDoesNotVaryStays) {
  Placeholders placeholders;
  placeholders.AddValue("<host>", "main");
  for (const char* line : {"sm_90 --arg 'f32[8,128]'", "domain main-2 mains", "--timeout 5 s",
                           "1 session, 2 programs", "abcdef0123456789"}) {
    EXPECT_EQ(placeholders.Replace(line), line);
  }
}

TEST(PlaceholdersTest, ColumnsStayWhereTheyAre) {
  Placeholders placeholders;
  EXPECT_EQ(placeholders.Replace("main     12.3 ms  1"), "main      <time>  1");
  EXPECT_EQ(placeholders.Replace("main     0 s  1"), "main  <time>  1");
  EXPECT_EQ(placeholders.Replace("uid:0          1"), "uid:<uid>      1");
  EXPECT_EQ(placeholders.Replace("key:  " + kKey), "key:  <digest>");
  EXPECT_TRUE(Placeholders::AreAlike("main      <time>  1", "main  <time>  1"));
  EXPECT_FALSE(Placeholders::AreAlike("main <time>  1", "main  <time>  1"));
}

TEST(PlaceholdersTest, CommandsUseWhatWasPrintedLast) {
  Placeholders placeholders;
  (void)placeholders.Replace(absl::StrCat(std::string(32, 'b'), " and then ", kKey));
  EXPECT_EQ(placeholders.Fill("accelctl cache purge <digest>"),
            absl::StrCat("accelctl cache purge ", kKey));
  EXPECT_EQ(placeholders.Fill("echo <time>"), "echo <time>");
}

}  // namespace
}  // namespace acceld::testing
