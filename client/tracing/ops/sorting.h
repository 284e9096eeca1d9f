#pragma once

#include <utility>
#include <vector>

#include "client/tracing/tensor.h"

// Sorting. Equal elements keep their order; NaN comes after all numbers.
namespace acceld::client {

Tensor Sort(const Operand& a, int64_t axis = -1, bool descending = false);
// The indices (i32) that would sort.
Tensor Argsort(const Operand& a, int64_t axis = -1, bool descending = false);
// Sorts tensors of one shape by the first `num_keys` of them; the others follow.
std::vector<Tensor> SortTogether(const Operands& operands, int64_t axis = -1, int64_t num_keys = 1);
// The k largest elements along the last axis, the largest first, and their indices (i32).
std::pair<Tensor, Tensor> TopK(const Operand& a, int64_t k);
// For each value its place (i32) in `sorted`, a sorted vector, that keeps the order: before equal
// elements, or after them if `right`. Found by bisection.
Tensor SearchSorted(const Operand& sorted, const Operand& values, bool right = false);

}  // namespace acceld::client
