#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "client/program.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// Programs and their arguments as commands are given them: a file, the name of a function in it,
// and the texts of --arg (argument.h).
namespace acceld::tools {

// Reads a program in any form that client::Program::FromBytes reads; "-" reads standard input.
absl::StatusOr<client::Program> LoadProgram(const std::string& path, const std::string& entry);

// Returns the values of the program's arguments. INVALID_ARGUMENT if there are not as many texts
// as the program has parameters; the errors of ParseArgument.
absl::StatusOr<std::vector<ir::Literal>> ParseArguments(absl::Span<const std::string> texts,
                                                        const client::Program& program);

// Returns the types of the arguments; those of the program's parameters if there are no texts.
// INVALID_ARGUMENT if there are no texts and a parameter has a dynamic dimension; otherwise the
// errors of ParseArguments.
absl::StatusOr<std::vector<ir::TensorType>> ParseArgumentTypes(absl::Span<const std::string> texts,
                                                               const client::Program& program);

}  // namespace acceld::tools
