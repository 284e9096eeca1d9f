#pragma once

#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "client/host_callbacks.h"
#include "client/tracing/tensor.h"
#include "common/ir/builder.h"
#include "common/status.h"

namespace acceld::client {

// The state of one trace: the function that is being built. A function that is transformed inside
// another one, or the body of a loop, is traced by a tracer of its own, whose parent is that of the
// other; they share the program and the first error. Operations go to the innermost tracer that is
// open on the thread. Used by one thread.
class Tracer : public std::enable_shared_from_this<Tracer> {
 public:
  // Opens a tracer on this thread while it lives. They end in the opposite order.
  class Scope {
   public:
    // A tracer inside `parent`, which must be the innermost open one; nullptr: for a new program.
    explicit Scope(const std::string& name, std::shared_ptr<Tracer> parent = nullptr);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    Tracer& operator*() const { return *tracer_; }
    Tracer* operator->() const { return tracer_.get(); }

   private:
    const std::shared_ptr<Tracer> tracer_;
  };

  // Returns the innermost open tracer of this thread, or nullptr.
  static std::shared_ptr<Tracer> Current();
  // The same, for an operation that is called at `location`: ops and errors have that place from
  // now on, until the next operation. A place in the library itself is ignored: the operation is
  // part of another one.
  static std::shared_ptr<Tracer> At(const std::source_location& location);
  // The same, at the place of the first operand that is not in the library.
  static std::shared_ptr<Tracer> Of(std::initializer_list<const Operand*> operands);
  static std::shared_ptr<Tracer> Of(const Operand& a) { return Of({&a}); }
  static std::shared_ptr<Tracer> Of(const Operand& a, const Operand& b) { return Of({&a, &b}); }
  static std::shared_ptr<Tracer> Of(const Operands& operands) { return At(operands.location()); }

  // Adds a parameter to the function.
  Tensor Parameter(const ir::TensorType& type) { return Make(builder_.AddParameter(type)); }
  // Appends an op with one result. `declared` is the result's type, for ops whose operands do not
  // determine it.
  Tensor Emit(ir::OpKind kind, const std::vector<Tensor>& operands,
              ir::OpAttributes attributes = ir::NoAttributes{},
              absl::optional<ir::TensorType> declared = {});
  // Appends an op with regions and several results. On an error returns `count` placeholders.
  std::vector<Tensor> EmitAll(ir::OpKind kind, const std::vector<Tensor>& operands,
                              ir::OpAttributes attributes, std::vector<ir::Region> regions,
                              size_t count);
  // A region of two scalars that `kind` combines, for reductions and scatters.
  ir::Region Reducer(ir::OpKind kind, ir::DType dtype);
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
  // Records the error, with the place of the operation, unless one was recorded before, and returns
  // a placeholder.
  Tensor Fail(const absl::Status& status);
  // The same, with INVALID_ARGUMENT and the message "`operation`: `what`".
  Tensor Fail(absl::string_view operation, absl::string_view what);

  ir::FunctionBuilder& builder() { return builder_; }
  const absl::Status& status() const { return program_->status; }
  const std::vector<HostCallback>& callbacks() const { return program_->callbacks; }
  // The functions that the traced ones call; without these themselves.
  ir::Module& module() { return program_->module; }
  // The place of the operation, for the ops that it appends.
  ir::Location location();
  // Returns the values of the tensors; plain numbers become f32 scalar constants. Tensors of the
  // traces around this one are captured: they become parameters. INVALID_ARGUMENT for tensors of
  // other traces.
  absl::StatusOr<std::vector<ir::ValueId>> Values(const std::vector<Tensor>& tensors);
  // What is captured, as tensors of the parent, in the order of the parameters, which come after
  // all that were added by Parameter.
  const std::vector<Tensor>& captures() const { return captures_; }

  // A function that was traced to be called (function.h): its name in module(), and the form of its
  // result. Its owner lives as long as the program, so that its address can be part of the key.
  struct Callee {
    std::string name;
    ir::AttributeDictionary rules;  // of a function with rules of its own (custom_rules.h)
    std::shared_ptr<const void> form, owner;
  };
  absl::flat_hash_map<std::string, Callee>& callees() { return program_->callees; }

  static bool IsNumber(const Tensor& tensor) { return tensor.tracer_ == nullptr; }
  static double Number(const Tensor& tensor) { return tensor.number_; }
  // Returns the result of an operation outside of all traces: NaN, which becomes an error when it
  // is combined with a tensor of integers.
  static Tensor BadNumber();
  // Broadcasts both operands of an operation to the same shape. A plain number becomes a constant
  // of the other's type; two of them become scalars of f32.
  std::pair<Tensor, Tensor> BroadcastTogether(absl::string_view operation, const Tensor& a,
                                              const Tensor& b);
  // The tensor, or a constant for a plain number: a scalar of `dtype`.
  Tensor InTrace(const Tensor& tensor, ir::DType dtype = ir::DType::kF32);

 private:
  // What all traces of one program share.
  struct Program {
    ir::Module module;
    absl::Status status;
    std::vector<HostCallback> callbacks;  // Indexed by number.
    absl::flat_hash_map<std::string, Callee> callees;
    std::source_location location;  // of the operation; line 0 if there was none
    absl::flat_hash_map<std::pair<const char*, uint32_t>, uint32_t> locations;  // in the module
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
// Returns the shape to which both shapes broadcast, or INVALID_ARGUMENT that names the operation.
absl::StatusOr<ir::Dims> BroadcastShapes(absl::string_view operation, absl::Span<const int64_t> a,
                                         absl::Span<const int64_t> b);
// Returns `axis` counted from the front, or INVALID_ARGUMENT that names the operation.
absl::StatusOr<int64_t> NormalAxis(absl::string_view operation, int64_t axis, int64_t rank);
// Returns all axes counted from the front, in the order given; each may occur once.
absl::StatusOr<Axes> NormalAxes(absl::string_view operation, const Axes& axes, int64_t rank);
// "[2,3]".
std::string ShapeText(absl::Span<const int64_t> dims);

}  // namespace acceld::client
