#pragma once

#include <utility>

#include "client/tracing/tensor.h"

// Statistics of elements. Names and values are those of jax.numpy. Sum, Mean, Var and their kin are
// in reductions.h.
namespace acceld::client {

// The value below which a share `q` (from 0 to 1) of the elements lies, between two elements in
// proportion to their distance; the median is that of one half. Of floats only. Over `axes`, or
// over all if `axes` is empty; NaN if one of the elements is.
Tensor Quantile(const Operand& a, double q, const Axes& axes = {}, bool keep_dims = false);
Tensor Median(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
// The mean in which each element counts as much as its weight says. The weights have the shape of
// `a`, or are a vector along the one axis.
Tensor Average(const Operand& a, const Operand& weights, const Axes& axes = {});
// The difference of the largest and the smallest element.
Tensor Ptp(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
// How many elements are not zero (i32).
Tensor CountNonzero(const Operand& a, const Axes& axes = {}, bool keep_dims = false);

// Reductions that leave elements of NaN out.
Tensor NanSum(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor NanMean(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor NanMax(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor NanMin(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
Tensor NanVar(const Operand& a, const Axes& axes = {}, bool keep_dims = false, int64_t ddof = 0);
Tensor NanStd(const Operand& a, const Axes& axes = {}, bool keep_dims = false, int64_t ddof = 0);

// The covariances, and the correlation coefficients, of the rows of a matrix, whose columns are
// observations. The sums are divided by the number of columns minus `ddof`.
Tensor Cov(const Operand& a, int64_t ddof = 1);
Tensor Corrcoef(const Operand& a);

// How many elements lie in each of `bins` equal parts of the numbers from `lowest` to `highest`,
// the last of which includes its end; and the `bins` + 1 bounds of these parts. Both are of `a`'s
// type.
std::pair<Tensor, Tensor> Histogram(const Operand& a, int64_t bins, double lowest, double highest);
// How often each of the numbers below `length` occurs among integers (i32).
Tensor Bincount(const Operand& a, int64_t length);

}  // namespace acceld::client
