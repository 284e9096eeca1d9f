#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "client/host_callbacks.h"
#include "client/tensor.h"
#include "common/ir/builder.h"
#include "common/status.h"

namespace acceld::client {

// The state of one trace: the function that is being built. A function that is transformed inside
// another one, or the body of a loop, is traced by a tracer of its own, whose parent is that of the
// other; they share the program and the first error. Operations go to the innermost tracer that is
// open. Used by one thread.
class Tracer : public std::enable_shared_from_this<Tracer> {
 public:
  // Opens a tracer inside `parent`, which must be the innermost open one; nullptr: for a new
  // program.
  static std::shared_ptr<Tracer> Open(const std::string& name,
                                      std::shared_ptr<Tracer> parent = nullptr);
  // It must be the innermost open one.
  void Close();

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
    program_->callbacks.push_back(std::move(callback));
    return static_cast<int64_t>(program_->callbacks.size()) - 1;
  }
  // Records the error, unless one was recorded before, and returns a placeholder.
  Tensor Fail(const absl::Status& status);

  ir::FunctionBuilder& builder() { return builder_; }
  const absl::Status& status() const { return program_->status; }
  const std::vector<HostCallback>& callbacks() const { return program_->callbacks; }
  // The functions that the traced ones call; without these themselves.
  ir::Module& module() { return program_->module; }
  // Returns the values of the tensors; plain numbers become f32 scalar constants. Tensors of the
  // traces around this one are captured: they become parameters. INVALID_ARGUMENT for tensors of
  // other traces.
  absl::StatusOr<std::vector<ir::ValueId>> Values(const std::vector<Tensor>& tensors);
  // What is captured, as tensors of the parent, in the order of the parameters, which come after
  // all that were added by Parameter.
  const std::vector<Tensor>& captures() const { return captures_; }

  // Returns the innermost open tracer of the program to which the tensors belong, or nullptr if all
  // are plain numbers.
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
  // What all traces of one program share.
  struct Program {
    std::vector<Tracer*> open;  // the innermost one is the last
    ir::Module module;
    absl::Status status;
    std::vector<HostCallback> callbacks;  // Indexed by number.
  };

  Tracer(const std::string& name, std::shared_ptr<Tracer> parent)
      : builder_(name, /*is_public=*/parent == nullptr),
        parent_(std::move(parent)),
        program_(parent_ == nullptr ? std::make_shared<Program>() : parent_->program_) {}

  // Returns the parameter that stands for a tensor of a trace around this one.
  ir::ValueId Capture(const Tensor& tensor);
  bool IsInside(const Tracer* other) const {
    return parent_ != nullptr && (parent_.get() == other || parent_->IsInside(other));
  }

  ir::FunctionBuilder builder_;
  const std::shared_ptr<Tracer> parent_;  // nullptr for the outermost trace
  const std::shared_ptr<Program> program_;
  std::vector<Tensor> captures_;
  absl::flat_hash_map<std::pair<const Tracer*, ir::ValueId>, ir::ValueId> captured_;
};

// Returns INVALID_ARGUMENT with the message "`operation`: `what`".
absl::Status ShapeError(absl::string_view operation, absl::string_view what);
// Returns the shape to which both shapes broadcast, or INVALID_ARGUMENT.
absl::StatusOr<ir::Dims> BroadcastShapes(absl::Span<const int64_t> a, absl::Span<const int64_t> b);
// Returns `axis` counted from the front, or INVALID_ARGUMENT that names the operation.
absl::StatusOr<int64_t> NormalAxis(absl::string_view operation, int64_t axis, int64_t rank);

}  // namespace acceld::client
