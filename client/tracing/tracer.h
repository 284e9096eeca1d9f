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

// A function in the making, and its first error. One thread.
class Tracer : public std::enable_shared_from_this<Tracer> {
 public:
  explicit Tracer(const std::string& name) : builder_(name) {}

  Tensor Parameter(const ir::TensorType& type) { return Make(builder_.AddParameter(type)); }
  // Appends an op with one result. `declared` is needed where the operands don't determine it.
  Tensor Emit(ir::OpKind kind, std::vector<Tensor> operands,
              ir::OpAttributes attributes = ir::NoAttributes{},
              absl::optional<ir::TensorType> declared = {});
  // The same with regions and several results; on an error `count` placeholders.
  std::vector<Tensor> EmitAll(ir::OpKind kind, const std::vector<Tensor>& operands,
                              ir::OpAttributes attributes, std::vector<ir::Region> regions,
                              size_t count);
  // A constant with every element `number`; an integer type takes only whole numbers.
  Tensor Fill(double number, const ir::TensorType& type);
  Tensor Make(ir::ValueId value) {
    return Tensor(shared_from_this(), value, builder_.TypeOf(value).tensor());
  }
  // The number of the callback in the program that is made.
  int64_t AddCallback(HostCallback callback) {
    callbacks_.push_back(std::move(callback));
    return static_cast<int64_t>(callbacks_.size()) - 1;
  }
  // Records the error (the first stays) and gives a placeholder.
  Tensor Fail(const absl::Status& status);

  ir::FunctionBuilder& builder() { return builder_; }
  const absl::Status& status() const { return status_; }
  const std::vector<HostCallback>& callbacks() const { return callbacks_; }
  // Turns numbers into f32 scalars; INVALID_ARGUMENT for tensors of other traces.
  absl::StatusOr<std::vector<ir::ValueId>> Values(const std::vector<Tensor>& tensors);

  // The trace of the first of `tensors` that has one; null when all are numbers.
  static std::shared_ptr<Tracer> Of(absl::Span<const Tensor> tensors);
  static bool IsNumber(const Tensor& tensor) { return tensor.tracer_ == nullptr; }
  static double Number(const Tensor& tensor) { return tensor.number_; }
  // What operations on numbers alone give: an error once it meets a tensor.
  static Tensor BadNumber();
  // Gives both the same shape, and a number the other's element type. Needs one tensor.
  static std::pair<Tensor, Tensor> Together(const Tensor& a, const Tensor& b);

 private:
  ir::FunctionBuilder builder_;
  absl::Status status_;
  std::vector<HostCallback> callbacks_;  // by number
};

// "stablehlo.add"-style message prefix for errors of the numpy-like rules.
absl::Status ShapeError(absl::string_view operation, absl::string_view what);
// The shape that both stretch to, or INVALID_ARGUMENT.
absl::StatusOr<ir::Dims> BroadcastShapes(absl::Span<const int64_t> a, absl::Span<const int64_t> b);
// `axis` counted from the front, or INVALID_ARGUMENT naming the operation.
absl::StatusOr<int64_t> NormalAxis(absl::string_view operation, int64_t axis, int64_t rank);

}  // namespace acceld::client
