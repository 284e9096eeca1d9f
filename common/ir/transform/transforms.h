#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/ir/transform/differentiate.h"

// Transformations of programs: pure functions from a module to a module, in which a function of the
// same name does something else. All functions of the module must be verified and static; the
// result is again such a module, so that transformations can be applied to each other's results.
//
// Errors: NOT_FOUND if the module has no function `entry`; INVALID_ARGUMENT if a mask does not fit
// its arguments, if an op has no derivative or is not linear, with its name and the reason, and if
// a composite that has a rule of its own (composites/) is not what that rule expects. Thread-safe,
// as nothing is shared.
namespace acceld::ir {

// Forward mode. The function takes its arguments, then tangents of the active ones, and returns its
// results, then tangents of all results that are floats or complex numbers. Active arguments must
// be such.
absl::StatusOr<Module> Jvp(const Module& module, absl::string_view entry, const Mask& active);

// Reverse mode. The function takes its arguments, then cotangents of all results that are floats or
// complex numbers, and returns its results, then cotangents of the active arguments.
absl::StatusOr<Module> Vjp(const Module& module, absl::string_view entry, const Mask& active);

// The transpose of a function that is linear in the arguments of `linear`. The function takes the
// other arguments, then cotangents of all results, and returns cotangents of those arguments.
absl::StatusOr<Module> TransposeLinear(const Module& module, absl::string_view entry,
                                       const Mask& linear);

// A batch of `size` examples. The function takes the arguments of `batched` with the examples along
// a new first dimension, and returns all results so.
absl::StatusOr<Module> Batch(const Module& module, absl::string_view entry, const Mask& batched,
                             int64_t size);

}  // namespace acceld::ir
