#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/module.h"

// Takes the parts of a conformance program out of its module.
namespace acceld::ir {

inline constexpr absl::string_view kConformanceMain = "main";
inline constexpr absl::string_view kConformanceInputs = "inputs";

// Returns a function that computes `values` of `main` in the same way. With `inputs_as_parameters`
// the results of the calls to @inputs are its parameters.
Function ExtractCone(const Function& main, const std::vector<ValueId>& values,
                     bool inputs_as_parameters);

// Returns a module of the functions with these names and of those that they call, in the order of
// `module`.
Module ReachableFrom(const Module& module, std::vector<std::string> names);

// Returns a module of `main` and the functions of `module` that it calls, in their order.
Module WithMain(const Module& module, Function main);

}  // namespace acceld::ir
