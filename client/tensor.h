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

// Values of a function that is being traced, and the operations on them. Each call appends one or a
// few StableHLO ops to the trace; nothing is computed.
//
// Shapes combine as in numpy: trailing dimensions align, 1 stretches. Element types are never
// converted silently: both operands must have the same one, but a C++ number takes the element type
// of the tensor it meets. Axes may be negative (from the end). A wrong call (shapes that do not
// combine, an axis out of range, tensors of different traces) records the trace's first error,
// which the call of the Function returns; its result is a scalar placeholder.
//
// Only for use inside a traced function, on its thread.
namespace acceld::client {

class Tracer;

class Tensor {
 public:
  // A number, to be combined with tensors.
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

// Elementwise comparisons and logic; i1 results.
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator&&(const Tensor& a, const Tensor& b);
Tensor operator||(const Tensor& a, const Tensor& b);
Tensor operator!(const Tensor& a);
// `a` where `condition` (i1), else `b`.
Tensor Where(const Tensor& condition, const Tensor& a, const Tensor& b);

// Reductions over `axes`; empty: over all. keep_dims leaves them with size 1.
Tensor Sum(const Tensor& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Max(const Tensor& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Min(const Tensor& a, const Axes& axes = {}, bool keep_dims = false);
Tensor Mean(const Tensor& a, const Axes& axes = {}, bool keep_dims = false);
// The index (i32) of the largest element along `axis`, the first if several are.
Tensor ArgMax(const Tensor& a, int64_t axis);

// Contractions. MatMul as numpy.matmul: the last two dimensions multiply, those before broadcast;
// a rank 1 operand is a row on the left and a column on the right.
Tensor MatMul(const Tensor& a, const Tensor& b);
// stablehlo.dot_general: batch dimensions, then what is left of a, then of b.
struct DotDimensions {
  Axes lhs_contracting, rhs_contracting;
  Axes lhs_batching, rhs_batching;
};
Tensor DotGeneral(const Tensor& a, const Tensor& b, const DotDimensions& dimensions);

// Shapes.
Tensor BroadcastTo(const Tensor& a, absl::Span<const int64_t> shape);
// One size may be -1: what is left.
Tensor Reshape(const Tensor& a, absl::Span<const int64_t> shape);
// Empty permutation: all axes reversed.
Tensor Transpose(const Tensor& a, const Axes& permutation = {});
Tensor ExpandDims(const Tensor& a, int64_t axis);
Tensor Slice(const Tensor& a, absl::Span<const int64_t> start, absl::Span<const int64_t> limit,
             absl::Span<const int64_t> strides = {});
Tensor Concatenate(absl::Span<const Tensor> parts, int64_t axis);
Tensor Convert(const Tensor& a, ir::DType dtype);

// Stable along `axis`.
Tensor Softmax(const Tensor& a, int64_t axis = -1);
Tensor LogSumExp(const Tensor& a, int64_t axis = -1, bool keep_dims = false);
// Integers in [0, depth) to a new last axis with a single 1; all 0 for others.
Tensor OneHot(const Tensor& indices, int64_t depth, ir::DType dtype = ir::DType::kF32);

// Tensors from nothing need some tensor of the trace, `like`, only to find it.
Tensor Constant(const Tensor& like, const ir::Literal& value);
Tensor Full(const Tensor& like, const ir::TensorType& type, double value);
Tensor Iota(const Tensor& like, const ir::TensorType& type, int64_t axis);

// Whether a call of the host takes place as often as the program says, in the order of the program
// among all such calls; otherwise it may be left out when nobody needs its results, and two that
// are equal may become one.
enum class SideEffects : bool { kNo, kYes };
// What `callback` computes in the process that runs the function, in the middle of each run, from
// the values of `operands`, of which at least one is a tensor: results of these static types. Its
// error is the error of the function's results.
std::vector<Tensor> CallHost(HostCallback callback, const std::vector<Tensor>& operands,
                             const std::vector<ir::TensorType>& results,
                             SideEffects effects = SideEffects::kYes);

}  // namespace acceld::client
