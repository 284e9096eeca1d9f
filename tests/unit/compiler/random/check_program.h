#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/status.h"
#include "tests/unit/compiler/random/random_program.h"

namespace acceld::compiler {

// What is wrong with how a program is compiled for the CPU and run.
struct ProgramFailure {
  std::string kind;  // which smaller programs with the same fault share
  std::string message;
};

// Compares the compiled program's results with those of the interpreter: bits of integers, values
// of floats within what a few roundings make of values in [-8, 8].
std::optional<ProgramFailure> CheckProgram(const RandomProgram& program);
// The same for what somebody else makes of it.
std::optional<ProgramFailure> CheckResults(const RandomProgram& program,
                                           const absl::StatusOr<std::vector<ir::Literal>>& actual);

}  // namespace acceld::compiler
