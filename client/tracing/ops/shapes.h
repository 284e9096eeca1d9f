#pragma once

#include <source_location>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "client/tracing/tensor.h"
#include "common/ir/types/literal.h"

// Operations that make, rearrange and join tensors. Names and values are those of jax.numpy.
namespace acceld::client {

// Tensors that do not depend on others. They belong to the innermost trace of the thread.
Tensor Constant(const ir::Literal& value,
                std::source_location location = std::source_location::current());
Tensor Full(const ir::Dims& shape, double value, ir::DType dtype = ir::DType::kF32,
            std::source_location location = std::source_location::current());
Tensor Zeros(const ir::Dims& shape, ir::DType dtype = ir::DType::kF32,
             std::source_location location = std::source_location::current());
Tensor Ones(const ir::Dims& shape, ir::DType dtype = ir::DType::kF32,
            std::source_location location = std::source_location::current());
// The index of each element along `axis`.
Tensor Iota(const ir::TensorType& type, int64_t axis,
            std::source_location location = std::source_location::current());
// 0, 1, ... size - 1.
Tensor Arange(int64_t size, ir::DType dtype = ir::DType::kI32,
              std::source_location location = std::source_location::current());
// `size` numbers from `start` to `stop`, both included.
Tensor Linspace(double start, double stop, int64_t size, ir::DType dtype = ir::DType::kF32,
                std::source_location location = std::source_location::current());
// Ones where column - row = k, and zeros elsewhere. columns = -1: as many as rows.
Tensor Eye(int64_t rows, int64_t columns = -1, int64_t k = 0, ir::DType dtype = ir::DType::kF32,
           std::source_location location = std::source_location::current());
// Each of the vectors, whose sizes are n0, n1, ..., as a coordinate of the points of a grid. Its
// shape is [n0, n1, ...] with `matrix_indexing`, and [n1, n0, ...] without.
std::vector<Tensor> Meshgrid(const Operands& vectors, bool matrix_indexing = false);
// Tensors of the type of another one.
Tensor FullLike(const Operand& a, double value);
Tensor ZerosLike(const Operand& a);
Tensor OnesLike(const Operand& a);

Tensor BroadcastTo(const Operand& a, absl::Span<const int64_t> shape);
// One size may be -1 and is then computed from the others.
Tensor Reshape(const Operand& a, absl::Span<const int64_t> shape);
// As one dimension.
Tensor Ravel(const Operand& a);
// An empty permutation reverses all axes.
Tensor Transpose(const Operand& a, const Axes& permutation = {});
Tensor SwapAxes(const Operand& a, int64_t axis1, int64_t axis2);
// Moves one axis to another place; the others keep their order.
Tensor MoveAxis(const Operand& a, int64_t source, int64_t destination);
// Inserts a dimension of size 1 before dimension `axis`; -1 appends it.
Tensor ExpandDims(const Operand& a, int64_t axis);
// Removes dimensions of size 1: those of `axes`, or all.
Tensor Squeeze(const Operand& a, const Axes& axes = {});

// Selects the elements from `start` to `limit` (exclusive) in each dimension, with steps of
// `strides`; empty strides mean steps of 1.
Tensor Slice(const Operand& a, absl::Span<const int64_t> start, absl::Span<const int64_t> limit,
             absl::Span<const int64_t> strides = {});
// The same along one axis.
Tensor SliceInDim(const Operand& a, int64_t start, int64_t limit, int64_t axis = 0);
// Reverses the order along `axes`, or along all.
Tensor Flip(const Operand& a, const Axes& axes = {});
// Moves elements by `shift` along `axis`; those that leave at one end enter at the other.
Tensor Roll(const Operand& a, int64_t shift, int64_t axis = 0);
// Repeats the whole tensor: repetitions[i] times along axis i, counted from the last one.
Tensor Tile(const Operand& a, absl::Span<const int64_t> repetitions);
// Repeats each element along `axis`.
Tensor Repeat(const Operand& a, int64_t times, int64_t axis = 0);

// What Pad adds: a number, the nearest element, or the elements mirrored at the border (reflect:
// without the border itself; symmetric: with it) or from the other end.
enum class PadMode { kConstant, kEdge, kReflect, kSymmetric, kWrap };
// Adds elements before and after each dimension; `widths` has a pair for each.
Tensor Pad(const Operand& a, const std::vector<std::pair<int64_t, int64_t>>& widths,
           const Operand& value = 0, PadMode mode = PadMode::kConstant);

Tensor Concatenate(const Operands& parts, int64_t axis = 0);
// Joins tensors of one shape along a new axis.
Tensor Stack(const Operands& parts, int64_t axis = 0);
// Splits a tensor in equal parts along `axis`; at the sizes in the second form.
std::vector<Tensor> Split(const Operand& a, int64_t parts, int64_t axis = 0);
std::vector<Tensor> SplitSizes(const Operand& a, absl::Span<const int64_t> sizes, int64_t axis = 0);

// Matrices in the last two dimensions: the lower and upper triangle from the k-th diagonal on, and
// the k-th diagonal. Diag makes a matrix of a vector.
Tensor Tril(const Operand& a, int64_t k = 0);
Tensor Triu(const Operand& a, int64_t k = 0);
Tensor Diagonal(const Operand& a, int64_t k = 0);
Tensor Diag(const Operand& a);

}  // namespace acceld::client
