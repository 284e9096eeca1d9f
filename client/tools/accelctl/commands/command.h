#pragma once

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/tools/accelctl/connection.h"
#include "client/tools/accelctl/queries/list_output.h"
#include "common/status.h"

// What the definitions of all commands of accelctl have in common.
namespace acceld::tools {

// What the chosen command does. Returns the exit code.
using Action = std::function<absl::StatusOr<int>(const ConnectionFlags&)>;

// Adds a command. `help` says what it is for, and `example` is one command line that calls it.
CLI::App* AddCommand(CLI::App& parent, const std::string& name, const std::string& help,
                     const std::string& example);

// Add the options that commands have in the same way: --json, and with it --wide for lists; --arg
// for programs.
void AddJson(CLI::App& command, bool& json);
void AddListOutput(CLI::App& command, ListOutput& output);
void AddArguments(CLI::App& command, std::vector<std::string>& arguments, const std::string& help);

// Has the command print a list that the daemon is asked for.
void AddQuery(CLI::App* command, absl::Status (*print)(client::Admin&, const ListOutput&),
              Action& action);

// Make actions that run in a session, without one, and without one and a result of their own.
Action InSession(std::function<absl::StatusOr<int>(client::Client&)> command,
                 client::Priority priority = client::Priority::kNormal);
Action WithoutSession(std::function<absl::StatusOr<int>(client::Admin&)> command);
Action AsAdmin(std::function<absl::Status(client::Admin&)> command);

}  // namespace acceld::tools
