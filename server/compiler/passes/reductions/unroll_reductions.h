#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass for reductions of tensors with a short dimension, such as vectors of three coordinates.
//
// - A reduction of at most four elements to one, which elementwise ops compute for it alone,
//   becomes elementwise ops on slices, which fuse with these and with what uses the results.
// - On targets whose threads work alone, a reduction whose results are rows of at most four
//   elements becomes one reduction with as many results. Each of these reads a slice, so that a
//   vector holds elements of the long dimension.
//
//   sum(f(x[n, 3]), over 1) = 0 + f(x[:, 0]) + f(x[:, 1]) + f(x[:, 2])
//   sum(x[n, 3], over 0)    = sums(x[:, 0], x[:, 1], x[:, 2])
//
// Only reducers that are one operation of f32, f64, integers or booleans are changed: narrower
// floats are added up in f32. The elements keep their order. The pass runs before split-reductions,
// which makes the second kind parallel.
absl::StatusOr<ir::Module> UnrollReductions(const ir::Module& module,
                                            const codegen::Target& target);

}  // namespace acceld::compiler
