#pragma once

#include "CLI/CLI.hpp"
#include "client/tools/accelctl/commands/command.h"

// The definitions of the commands of accelctl. Each function adds some of them to the program; when
// one of them is parsed, it stores what the command does in `action`, which must outlive that.
namespace acceld::tools {

// run, check
void AddProgramCommands(CLI::App& program, Action& action);
// devices, sessions, stats, top, trace, health
void AddQueryCommands(CLI::App& program, Action& action);
// kill, drain
void AddControlCommands(CLI::App& program, Action& action);
// token
void AddTokenCommands(CLI::App& program, Action& action);
// names
void AddNameCommands(CLI::App& program, Action& action);
// cache
void AddCacheCommands(CLI::App& program, Action& action);

}  // namespace acceld::tools
