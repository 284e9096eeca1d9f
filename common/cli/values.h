#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"

// Validators for CLI::Option::check. Their errors quote the value and say what it may be.
namespace acceld::cli {

CLI::Validator WholeNumber(int64_t min, int64_t max = std::numeric_limits<int64_t>::max());
CLI::Validator Number(double min, double max);
// One of these words. The help, completions and the manual page list them.
CLI::Validator OneOf(std::vector<std::string> choices);

}  // namespace acceld::cli
