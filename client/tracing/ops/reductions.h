#pragma once

#include "client/tracing/tensor.h"

// Reductions, and running reductions. Names and values are those of jax.numpy; integers keep their
// type.
namespace acceld::client {

// Reductions over `axes`, or over all axes if `axes` is empty. With `keep_dims` the result keeps
// the reduced dimensions with size 1.
Tensor Sum(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Prod(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Max(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Min(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
// Of truth values.
Tensor All(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Any(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Mean(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
// The mean square of the distance to the mean, and its root. The sum is divided by the number of
// elements minus `ddof`.
Tensor Var(const Operand& a, const Axes& axes = {}, bool keep_dims = false, int64_t ddof = 0);
Tensor Std(const Operand& a, const Axes& axes = {}, bool keep_dims = false, int64_t ddof = 0);
// log(sum(exp(a))), without overflow. Finite for elements of -infinity.
Tensor LogSumExp(const Operand& a, const Axes& axes = {}, bool keep_dims = false);

// The index (i32) of the largest, or smallest, element along `axis`; of several equal ones, the
// first. A NaN is larger, and smaller, than all numbers.
Tensor ArgMax(const Operand& a, int64_t axis);
Tensor ArgMin(const Operand& a, int64_t axis);

// Sums, products and extrema of the elements up to each one along `axis`; from the end if
// `reverse`.
Tensor CumSum(const Operand& a, int64_t axis = 0, bool reverse = false);
Tensor CumProd(const Operand& a, int64_t axis = 0, bool reverse = false);
Tensor CumMax(const Operand& a, int64_t axis = 0, bool reverse = false);
Tensor CumMin(const Operand& a, int64_t axis = 0, bool reverse = false);
Tensor CumLogSumExp(const Operand& a, int64_t axis = 0, bool reverse = false);
// Differences of neighbours along `axis`.
Tensor Diff(const Operand& a, int64_t axis = -1);

}  // namespace acceld::client
