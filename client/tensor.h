#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "client/host_callbacks.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/ir/types/type.h"

// Symbolic values of a function that is being traced, and operations on them. Each call appends one
// or a few StableHLO ops to the trace; nothing is computed.
//
// Shapes combine as in NumPy: trailing dimensions align, and dimensions of size 1 are broadcast.
// Element types are never converted implicitly: both operands must have the same one, except that a
// C++ number takes the element type of the tensor it is combined with. Axes may be negative,
// counting from the end. An invalid call (shapes that do not combine, an axis out of range, tensors
// of different traces) returns a scalar placeholder, and the first such error of a trace becomes
// the error of the Function's call.
//
// Use these only inside a traced function, on the thread that runs it.
namespace acceld::client {

class Tracer;

// A value in a trace, or a plain number that has not been combined with one yet. Copies are cheap
// and name the same value.
class Tensor {
 public:
  // Implicitly converts a number, so that numbers can be combined with tensors.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Tensor(T number) : number_(static_cast<double>(number)) {}  // NOLINT: numbers are tensors

  // f32[] for a plain number.
  const ir::TensorType& type() const { return type_; }
  const ir::Dims& shape() const { return type().dims; }
  int64_t rank() const { return type().rank(); }
  ir::DType dtype() const { return type().dtype; }

 private:
  friend class Tracer;
  Tensor(std::shared_ptr<Tracer> tracer, ir::ValueId value, ir::TensorType type)
      : tracer_(std::move(tracer)), value_(value), type_(std::move(type)) {}

  std::shared_ptr<Tracer> tracer_;  // Shared by all tensors of a trace; null for a number.
  ir::ValueId value_ = 0;
  ir::TensorType type_;
  double number_ = 0;
};

// Axes of a tensor; negative ones count from the end.
using Axes = std::vector<int64_t>;

// Elementwise arithmetic.
Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a);
Tensor Maximum(const Tensor& a, const Tensor& b);
Tensor Minimum(const Tensor& a, const Tensor& b);
Tensor Power(const Tensor& a, const Tensor& b);
Tensor Remainder(const Tensor& a, const Tensor& b);
Tensor Abs(const Tensor& a);
Tensor Cos(const Tensor& a);
Tensor Exp(const Tensor& a);
Tensor Floor(const Tensor& a);
Tensor Log(const Tensor& a);
Tensor Log1p(const Tensor& a);
Tensor Logistic(const Tensor& a);
Tensor Relu(const Tensor& a);
Tensor Rsqrt(const Tensor& a);
Tensor Sign(const Tensor& a);
Tensor Sin(const Tensor& a);
Tensor Sqrt(const Tensor& a);
Tensor Square(const Tensor& a);
Tensor Tanh(const Tensor& a);

// Elementwise comparisons and logic. Their results have element type i1.
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator&&(const Tensor& a, const Tensor& b);
Tensor operator||(const Tensor& a, const Tensor& b);
Tensor operator!(const Tensor& a);
// Selects elements of `a` where `condition` (of element type i1) is true, and of `b` elsewhere.
Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b);

// Reductions over `axes`, or over all axes if `axes` is empty. With `keep_dims` the result keeps
// the reduced dimensions with size 1.
Tensor Sum(const Tensor& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Max(const Tensor& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Min(const Tensor& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Mean(const Tensor& a, const Axes& axes = {}, bool keep_dims = false);
// Returns the index (i32) of the largest element along `axis`; of several equal ones, the first.
Tensor ArgMax(const Tensor& a, int64_t axis);

// Contractions. MatMul is like numpy.matmul: it multiplies the matrices of the last two dimensions
// and broadcasts the dimensions before them; an operand of rank 1 is a row on the left and a column
// on the right.
Tensor MatMul(const Tensor& a, const Tensor& b);
// stablehlo.dot_general: the result has the batching dimensions, then the remaining dimensions of
// `a`, then those of `b`.
struct DotDimensions {
  Axes lhs_contracting, rhs_contracting;
  Axes lhs_batching, rhs_batching;
};
Tensor DotGeneral(const Tensor& a, const Tensor& b, const DotDimensions& dimensions);

// Shape operations.
Tensor BroadcastTo(const Tensor& a, absl::Span<const int64_t> shape);
// One size may be -1 and is then computed from the others.
Tensor Reshape(const Tensor& a, absl::Span<const int64_t> shape);
// An empty permutation reverses all axes.
Tensor Transpose(const Tensor& a, const Axes& permutation = {});
// Inserts a dimension of size 1 before dimension `axis`; -1 appends it.
Tensor ExpandDims(const Tensor& a, int64_t axis);
// Selects the elements from `start` to `limit` (exclusive) in each dimension, with steps of
// `strides`; empty strides mean steps of 1.
Tensor Slice(const Tensor& a, absl::Span<const int64_t> start, absl::Span<const int64_t> limit,
             absl::Span<const int64_t> strides = {});
Tensor Concatenate(absl::Span<const Tensor> parts, int64_t axis);
// Converts the elements to another type.
Tensor Convert(const Tensor& a, ir::DType dtype);

// Both are numerically stable: they subtract the maximum along `axis` first.
Tensor Softmax(const Tensor& a, int64_t axis = -1);
Tensor LogSumExp(const Tensor& a, int64_t axis = -1, bool keep_dims = false);
// Adds a last axis of size `depth` that is 1 at the position given by each index and 0 elsewhere;
// indices outside [0, depth) give only zeros.
Tensor OneHot(const Tensor& indices, int64_t depth, ir::DType dtype = ir::DType::kF32);

// Tensors that do not depend on others: a constant, a tensor filled with one value, and the indices
// along `axis`. `like` is any tensor of the trace to which they are to be added; its type and value
// do not matter.
Tensor Constant(const Tensor& like, const ir::Literal& value);
Tensor Full(const Tensor& like, const ir::TensorType& type, double value);
Tensor Iota(const Tensor& like, const ir::TensorType& type, int64_t axis);

// With kYes, the program makes each call exactly as often as written and keeps the order of all
// such calls. With kNo, a call whose results are unused may be removed, and two equal calls may be
// merged.
enum class SideEffects : bool { kNo, kYes };
// Calls `callback` in the client's process while the program runs, with the values of `operands`
// (at least one of which must be a tensor of the trace), and returns its results, which have these
// static types. An error of the callback becomes the error of the function's results.
std::vector<Tensor> CallHost(HostCallback callback, const std::vector<Tensor>& operands,
                             const std::vector<ir::TensorType>& results,
                             SideEffects effects = SideEffects::kYes);

}  // namespace acceld::client
