#pragma once

#include <functional>
#include <vector>

#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {

// Sums, one for each element of result 0, built for reading rows of the right operand in order:
// tiles of neighbouring elements stand in scratch, and the loops over the products of one sum are
// around the loop over the tile, so that the innermost loop runs along contiguous memory.
struct TiledSums {
  using Sum = std::vector<Var>;  // the parts of one value of the accumulation type
  // The sum of the element at `index` with one product added.
  using AddProduct = std::function<Sum(const std::vector<Var>& index, const Sum& sum)>;

  ir::TensorType result;
  DType accumulation;
  Sum zero;
  std::vector<int64_t> products;  // extents of the loops over the products of one sum
  bool in_order = true;           // these are added one after the other
  // Called with the indices of those loops, for all elements that differ in the last dimension of
  // `index` only; that one is not defined yet.
  std::function<AddProduct(const std::vector<Var>& index, absl::Span<const Var> product)> begin;
  std::function<void(const std::vector<Var>& index, const Sum& sum)> store;

  void Build(KernelBuilder& b) const;
};

}  // namespace acceld::kernels
