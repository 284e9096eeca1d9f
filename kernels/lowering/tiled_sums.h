#pragma once

#include <functional>
#include <vector>

#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {

// Builds loops that compute one sum of products for each element of a result (of a dot_general or a
// convolution). The sums of a tile of adjacent elements of the last dimension are kept in scratch,
// and the loops over the products of a sum enclose the loop over the tile, so that the innermost
// loop reads rows of the right operand contiguously.
struct TiledSums {
  using Sum = std::vector<Var>;  // the parts of a value of the accumulation type
  // Emits the sum for the element at `index` after one product has been added to `sum`.
  using AddProduct = std::function<Sum(const std::vector<Var>& index, const Sum& sum)>;

  ir::TensorType result;
  DType accumulation;
  Sum zero;                       // the initial value of each sum
  std::vector<int64_t> products;  // extents of the loops over the products of one sum
  bool in_order = true;           // whether the products of a sum must be added in order
  // Called once inside the loops over the products, whose induction variables are `product`. Emits
  // the statements that are common to a tile's elements, whose indices differ from `index` only in
  // the last dimension (index.back() is undefined), and returns the function for the elements.
  std::function<AddProduct(const std::vector<Var>& index, absl::Span<const Var> product)> begin;
  // Emits the store of a finished sum to the element at `index`.
  std::function<void(const std::vector<Var>& index, const Sum& sum)> store;

  void Build(KernelBuilder& b) const;
};

}  // namespace acceld::kernels
