#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "client/host_callbacks.h"
#include "client/tensor.h"
#include "common/ir/builder.h"
#include "common/status.h"

namespace acceld::client {

// The state of one trace: the function that is being built, and the first error. Used by one
// thread.
class Tracer : public std::enable_shared_from_this<Tracer> {
 public:
  explicit Tracer(const std::string& name) : builder_(name) {}

  // Adds a parameter to the function.
  Tensor Parameter(const ir::TensorType& type) { return Make(builder_.AddParameter(type)); }
  // Appends an op with one result. `declared` is the result's type, for ops whose operands do not
  // determine it.
  Tensor Emit(ir::OpKind kind, std::vector<Tensor> operands,
              ir::OpAttributes attributes = ir::NoAttributes{},
              absl::optional<ir::TensorType> declared = {});
  // Appends an op with regions and several results. On an error returns `count` placeholders.
  std::vector<Tensor> EmitAll(ir::OpKind kind, const std::vector<Tensor>& operands,
                              ir::OpAttributes attributes, std::vector<ir::Region> regions,
                              size_t count);
  // Appends a constant in which every element is `number`. For an integer type the number must be
  // whole.
  Tensor Fill(double number, const ir::TensorType& type);
  // Returns a Tensor for a value of the function.
  Tensor Make(ir::ValueId value) {
    return Tensor(shared_from_this(), value, builder_.TypeOf(value).tensor());
  }
  // Returns the number that the callback has in the program.
  int64_t AddCallback(HostCallback callback) {
    callbacks_.push_back(std::move(callback));
    return static_cast<int64_t>(callbacks_.size()) - 1;
  }
  // Records the error, unless one was recorded before, and returns a placeholder.
  Tensor Fail(const absl::Status& status);

  ir::FunctionBuilder& builder() { return builder_; }
  const absl::Status& status() const { return status_; }
  const std::vector<HostCallback>& callbacks() const { return callbacks_; }
  // Returns the values of the tensors; plain numbers become f32 scalar constants. INVALID_ARGUMENT
  // for tensors of other traces.
  absl::StatusOr<std::vector<ir::ValueId>> Values(const std::vector<Tensor>& tensors);

  // Returns the trace of the first tensor that belongs to one, or nullptr if all are plain numbers.
  static std::shared_ptr<Tracer> Of(absl::Span<const Tensor> tensors);
  static bool IsNumber(const Tensor& tensor) { return tensor.tracer_ == nullptr; }
  static double Number(const Tensor& tensor) { return tensor.number_; }
  // Returns the result of an operation on plain numbers only: NaN, which becomes an error when it
  // is combined with a tensor of integers.
  static Tensor BadNumber();
  // Broadcasts both to the same shape. If one is a plain number, makes it a constant of the other's
  // type. At least one must be a tensor.
  static std::pair<Tensor, Tensor> BroadcastTogether(const Tensor& a, const Tensor& b);

 private:
  ir::FunctionBuilder builder_;
  absl::Status status_;
  std::vector<HostCallback> callbacks_;  // Indexed by number.
};

// Returns INVALID_ARGUMENT with the message "`operation`: `what`".
absl::Status ShapeError(absl::string_view operation, absl::string_view what);
// Returns the shape to which both shapes broadcast, or INVALID_ARGUMENT.
absl::StatusOr<ir::Dims> BroadcastShapes(absl::Span<const int64_t> a, absl::Span<const int64_t> b);
// Returns `axis` counted from the front, or INVALID_ARGUMENT that names the operation.
absl::StatusOr<int64_t> NormalAxis(absl::string_view operation, int64_t axis, int64_t rank);

}  // namespace acceld::client
