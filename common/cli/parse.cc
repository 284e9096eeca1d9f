#include "common/cli/parse.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "common/cli/check_words.h"
#include "common/cli/command_tree.h"
#include "common/cli/help.h"
#include "common/cli/terminal.h"
#include "common/status.h"

namespace acceld::cli {
namespace {

// Has CLI11 print the help of this project for the command and all those below it.
void UseHelp(CLI::App& command) {
  command.get_help_ptr()->description("print this and end");
  if (CLI::Option* version = command.get_version_ptr(); version != nullptr) {
    version->description("print the version and end");
  }
  command.formatter_fn([](const CLI::App* app, const std::string& path, CLI::AppFormatMode) {
    return HelpText(DescribeCommand(*app), path, OutputSize().columns);
  });
  for (CLI::App* below : command.get_subcommands([](CLI::App*) { return true; })) UseHelp(*below);
}

int Refuse(const CLI::App& program, absl::string_view why) {
  std::cerr << program.get_name() << ": " << why << std::endl;
  return kExitUsage;
}

}  // namespace

absl::optional<int> Parse(CLI::App& program, int argc, const char* const* argv) {
  UseHelp(program);
  const absl::Status words = CheckWords(program, std::vector<std::string>(argv + 1, argv + argc));
  if (!words.ok()) return Refuse(program, words.message());
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    const absl::Status complete = CheckComplete(program);
    return Refuse(program, complete.ok() ? error.what() : complete.message());
  }
  return absl::nullopt;
}

}  // namespace acceld::cli
