#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

// A description of a program's command line: its commands, options and arguments in the order of
// its --help. Shell completions and the manual page are generated from it (documents.h). Options of
// the root command may follow any command.
namespace acceld::cli {

// An option, or a positional argument.
struct Option {
  std::vector<std::string> names;    // "-o", "--out"; for a positional argument one name
  std::string value;                 // placeholder of the value, "FILE"; empty: takes none
  std::vector<std::string> choices;  // the permitted values, if they are a fixed set
  std::string help;
  std::string fallback;  // default value; empty: none, or `help` states it
  std::string group;     // the heading under which --help lists the option
  bool required = false;
  bool repeatable = false;  // takes several values: the option may be repeated

  bool takes_value() const { return !value.empty(); }
  bool takes_path() const { return value == "FILE" || value == "FOLDER"; }
};

// A command with its subcommands. The root command is the program itself.
struct Command {
  std::string name;
  std::string help;
  std::string footer;
  std::vector<Option> options;    // those of a group behind one another
  std::vector<Option> arguments;  // positional, in order
  std::vector<Command> commands;
};

// Returns the description of `app` and of all its subcommands. Options and commands that --help
// hides are left out.
Command DescribeCommand(const CLI::App& app);

}  // namespace acceld::cli
