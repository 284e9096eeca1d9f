#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

// How accelctl writes the types of a program's arguments and results, of which there may be
// hundreds, in one line. Pure functions.
namespace acceld::tools {

// The types of a signature, such as "(tensor<2xf32>, tensor<f32>) -> tensor<2xf32>".
struct Signature {
  std::vector<std::string> arguments, results;
};
// Splits a signature, or the list of arguments alone. A text that is none becomes one argument.
Signature ParseSignature(absl::string_view text);

// Returns how many types there are, and then as many of the first as fit into `columns`:
// "120 arguments: tensor<8xf32>, tensor<f32>, +118 more". `noun` is "argument" here.
std::string TypesText(absl::Span<const std::string> types, absl::string_view noun, size_t columns);
// The same for arguments and results: "1 argument: tensor<2xf32>; 1 result: tensor<2xf32>".
std::string SignatureText(absl::string_view signature, size_t columns);
// Returns those types, with their numbers from 0 on, that differ from those of `others` at the
// same position: "120 arguments, 2 differ: 17: tensor<8xf32>, 20: tensor<f32>". All of them if that
// fits, or if the others are not as many.
std::string DifferingTypesText(absl::Span<const std::string> types,
                               absl::Span<const std::string> others, size_t columns);

}  // namespace acceld::tools
