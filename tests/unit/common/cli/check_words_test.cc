// What users are told about command lines that mean nothing.

#include "common/cli/check_words.h"

#include "common/cli/parse.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/common/cli/tool.h"

namespace acceld::cli {
namespace {

using ::acceld::testing::Tool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// How a command line was read, and what was printed.
struct Outcome {
  absl::optional<int> status;
  std::string out, errors;
};

Outcome ParseWith(Tool& tool, std::vector<std::string> words) {
  std::vector<const char*> argv = {"tool"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  Outcome outcome;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  outcome.status = Parse(tool.app, static_cast<int>(argv.size()), argv.data());
  outcome.out = ::testing::internal::GetCapturedStdout();
  outcome.errors = ::testing::internal::GetCapturedStderr();
  return outcome;
}

// Returns what is said about a wrong command line.
std::string Refusal(std::vector<std::string> words) {
  Tool tool;
  const Outcome outcome = ParseWith(tool, std::move(words));
  EXPECT_EQ(outcome.status, kExitUsage) << outcome.out;
  EXPECT_EQ(outcome.out, "");
  return outcome.errors;
}

TEST(CheckWordsTest, TheFirstWordThatIsWrongIsNamed) {
  EXPECT_EQ(Refusal({"run", "x", "--argg", "1", "--repeat", "0", "y"}),
            "tool: unknown option '--argg' of `tool run`; did you mean '--arg'?\n");
  EXPECT_EQ(Refusal({"run", "x", "--repeat", "0", "--argg", "y"}),
            "tool: option '--repeat' of `tool run`: '0' is not a whole number from 1 to 100\n");
  EXPECT_EQ(Refusal({"run", "x", "y", "z", "--argg"}),
            "tool: unexpected argument 'y' of `tool run`, which takes only program\n");
  EXPECT_EQ(Refusal({"cache", "ls", "y", "z"}),
            "tool: unexpected argument 'y' of `tool cache ls`, which takes none\n");
}

TEST(CheckWordsTest, UnknownOptionsAreComparedWithAllThatTheCommandTakes) {
  EXPECT_EQ(Refusal({"run", "x", "--adress=y"}),
            "tool: unknown option '--adress' of `tool run`; did you mean '--address'?\n");
  EXPECT_EQ(Refusal({"run", "x", "-json"}),
            "tool: unknown option '-json' of `tool run`; did you mean '--json'?\n");
  EXPECT_EQ(Refusal({"cache", "ls", "--json"}),
            "tool: unknown option '--json' of `tool cache ls`; `tool cache ls --help` lists those "
            "that it has\n");
  EXPECT_EQ(Refusal({"--helpp"}),
            "tool: unknown option '--helpp' of `tool`; did you mean '--help'?\n");
}

TEST(CheckWordsTest, UnknownCommandsAreComparedWithThoseThatThereAre) {
  EXPECT_EQ(Refusal({"rnu", "x"}), "tool: unknown command 'rnu' of `tool`; did you mean 'run'?\n");
  EXPECT_EQ(Refusal({"ls"}), "tool: unknown command 'ls' of `tool`; did you mean 'cache ls'?\n");
  EXPECT_EQ(Refusal({"cache", "list"}),
            "tool: unknown command 'list' of `tool cache`; it has ls and purge\n");
}

TEST(CheckWordsTest, WrongValuesAreToldWhatTheyMayBe) {
  EXPECT_EQ(Refusal({"token", "ann", "--role", "admins"}),
            "tool: option '--role' of `tool token`: 'admins' is not user, publisher or admin; did "
            "you mean 'admin'?\n");
  EXPECT_EQ(Refusal({"run", "x", "--timeout=soon"}),
            "tool: option '--timeout' of `tool run`: 'soon' is not a number from 0.5 to 4000000\n");
  EXPECT_EQ(Refusal({"token", "ann", "--number", "-1"}),
            "tool: option '--number' of `tool token`: '-1' is not a whole number of at least 1\n");
  EXPECT_EQ(Refusal({"run", "x", "--repeat"}),
            "tool: option '--repeat' of `tool run` lacks its value, COUNT\n");
  EXPECT_EQ(Refusal({"run", "x", "--repeat", "1", "--repeat=2"}),
            "tool: option '--repeat' of `tool run` is given twice\n");
}

TEST(CheckWordsTest, WhatIsMissingIsNamedWhenAllWordsAreRight) {
  EXPECT_EQ(Refusal({}), "tool: `tool` needs a command: run, cache or token\n");
  EXPECT_EQ(Refusal({"cache"}), "tool: `tool cache` needs a command: ls or purge\n");
  EXPECT_EQ(Refusal({"run", "--arg", "1"}),
            "tool: argument 'program' of `tool run` is missing: a file\n");
  EXPECT_EQ(Refusal({"cache", "ls"}),
            "tool: option '--out' of `tool cache ls` is missing: a file\n");
  EXPECT_EQ(Refusal({"cache", "purge", "k", "--all"}),
            "tool: 'keys' and '--all' of `tool cache purge` exclude each other\n");
}

TEST(CheckWordsTest, RightCommandLinesAreRead) {
  Tool tool;
  EXPECT_EQ(ParseWith(tool, {"run", "-", "--arg", "--json", "--arg=x=y", "--repeat", "7",
                             "--address", "here"})
                .status,
            absl::nullopt);
  EXPECT_EQ(tool.program, "-");
  EXPECT_THAT(tool.arguments, ElementsAre("--json", "x=y"));
  EXPECT_EQ(tool.repeat, 7);
  EXPECT_EQ(tool.address, "here");
  EXPECT_FALSE(tool.json);

  Tool purging;
  EXPECT_EQ(ParseWith(purging, {"cache", "purge", "--", "--a", "-1", "run"}).status, absl::nullopt);
  EXPECT_THAT(purging.keys, ElementsAre("--a", "-1", "run"));

  Tool listing;
  EXPECT_EQ(ParseWith(listing, {"--address=here", "cache", "ls", "-ofile"}).status, absl::nullopt);
  EXPECT_EQ(listing.out, "file");
}

TEST(CheckWordsTest, HelpAndVersionAreGivenWithoutTheRest) {
  Tool tool;
  const Outcome help = ParseWith(tool, {"run", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("Usage: tool run [OPTIONS] program\n"));
  EXPECT_EQ(help.errors, "");
  Tool other;
  EXPECT_EQ(ParseWith(other, {"--version"}).out, "tool 1\n");
}

TEST(CheckWordsTest, WordsOfAnyKindAreAnswered) {
  const std::string letters = std::string("-=ax1\n\xFF\xC3`'", 10);
  for (char first : letters) {
    for (char second : letters) {
      for (char third : letters) {
        Tool tool;
        const std::string word = {first, second, third};
        EXPECT_FALSE(CheckWords(tool.app, {word}).ok()) << word;
        EXPECT_FALSE(CheckWords(tool.app, {"run", "x", word}).ok()) << word;
      }
    }
  }
  Tool tool;
  EXPECT_TRUE(CheckWords(tool.app, {"run", ""}).ok());
}

}  // namespace
}  // namespace acceld::cli
