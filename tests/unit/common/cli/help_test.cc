#include "common/cli/help.h"

#include "absl/strings/str_split.h"
#include "common/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/common/cli/tool.h"

namespace acceld::cli {
namespace {

using ::acceld::testing::Tool;
using ::testing::HasSubstr;

std::string HelpOf(const CLI::App& command, absl::string_view path, size_t columns = 80) {
  return HelpText(DescribeCommand(command), path, columns);
}

TEST(HelpTest, ACommandIsExplainedWithAnExample) {
  Tool tool;
  EXPECT_EQ(HelpOf(*tool.app.get_subcommand("run"), "tool run"),
            R"(Run a program.

Usage: tool run [OPTIONS] program

Arguments:
  program               a file

Options:
  -h, --help            Print this help message and exit
  --arg FILE ...        an argument
  --repeat COUNT        number of runs [1]
  --timeout SECONDS     seconds
  --json                print JSON

Example:
  tool run x.mlir --arg 1

`tool --help` lists the options of every command, such as --address.
)");
}

TEST(HelpTest, AProgramListsItsCommands) {
  Tool tool;
  const std::string help = HelpOf(tool.app, "tool");
  EXPECT_THAT(help, HasSubstr("Usage: tool [OPTIONS] COMMAND\n"));
  EXPECT_THAT(help, HasSubstr("\nCommands:\n  run                   run a program\n"));
  EXPECT_THAT(HelpOf(*tool.app.get_subcommand("token"), "tool token"),
              HasSubstr("what its holder may do: user, publisher or admin [user]"));
}

TEST(HelpTest, OptionsStandTogetherByTheirGroup) {
  Tool tool;
  tool.app.add_option("--token-file", tool.name, "your token")->type_name("FILE")->group("Access");
  tool.app.add_flag("--local", tool.json, "start a daemon");
  EXPECT_THAT(HelpOf(tool.app, "tool"),
              HasSubstr("  --address [HOST:]PORT\n                        the daemon\n"
                        "  --local               start a daemon\n"
                        "\nAccess:\n"
                        "  --token-file FILE     your token\n"
                        "\nCommands:\n"));
}

TEST(HelpTest, LinesFitTheTerminal) {
  Tool tool;
  tool.app.add_option("--a-rather-long-option", tool.name,
                      "with an explanation that is longer than what fits behind it in one line");
  for (const size_t columns : {40, 60, 80}) {
    const std::string help = HelpOf(tool.app, "tool", columns);
    for (const absl::string_view line : absl::StrSplit(help, '\n')) {
      EXPECT_LE(Utf8Length(line), columns) << line;
    }
  }
  EXPECT_THAT(HelpOf(tool.app, "tool"),
              HasSubstr("  --a-rather-long-option TEXT\n                        with an "));
}

}  // namespace
}  // namespace acceld::cli
