#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace acceld::cli {

// What a program's command line takes, in the order of its help. Options of the root may stand
// behind every command.
struct Option {
  std::vector<std::string> names;    // "-o", "--out"; one for an argument, without dashes
  std::string value;                 // "FILE"; empty: a switch
  std::vector<std::string> choices;  // when the value is one of few
  std::string help;
  std::string fallback;  // the value without it; empty: see the help
  std::string group;     // "Options" where none is said

  bool takes_value() const { return !value.empty(); }
  bool takes_path() const { return value == "FILE" || value == "FOLDER"; }
};

struct Command {
  std::string name;
  std::string help;
  std::string footer;
  std::vector<Option> options;
  std::vector<Option> arguments;  // by position
  std::vector<Command> commands;
};

// `app` with all that it has; what is hidden is left out.
Command DescribeCommand(const CLI::App& app);

}  // namespace acceld::cli
