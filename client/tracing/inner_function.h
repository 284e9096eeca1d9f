#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/tracing/tracer.h"
#include "client/tracing/tree_function.h"
#include "common/ir/module.h"
#include "common/ir/transform/differentiate.h"
#include "common/status.h"

// Functions that are traced inside others: those that are transformed, and the bodies of loops.
namespace acceld::client {

// A function that was traced inside another trace.
class InnerFunction {
 public:
  // Traces `function` for arguments of these types inside `tracer`, which may be nullptr.
  // `operation` is the name of what the function is traced for, for messages. Exceptions of the
  // function propagate.
  InnerFunction(absl::string_view operation, const TracedFunction& function,
                std::shared_ptr<Tracer> tracer, std::vector<ir::TensorType> types);

  // Whether all went well. If not, the trace has the error.
  bool ok() const { return tracer_ != nullptr && tracer_->status().ok(); }
  // The trace around the function; nullptr if there is none.
  const std::shared_ptr<Tracer>& tracer() const { return tracer_; }
  const ir::Function& function() const { return function_; }
  const std::vector<ir::TensorType>& types() const { return types_; }
  size_t num_arguments() const { return types_.size(); }
  size_t num_results() const { return function_.body.results.size(); }
  const ir::TensorType& ResultType(size_t i) const {
    return function_.TensorOf(function_.body.results[i]);
  }
  std::vector<ir::TensorType> ResultTypes() const;
  // The values of the trace around it: for the arguments, then for what it captures.
  absl::StatusOr<std::vector<ir::ValueId>> Values(const std::vector<Tensor>& arguments) const;
  // The tensors of the trace around it that it uses; its last parameters.
  const std::vector<Tensor>& captures() const { return captures_; }
  // An entry for each parameter; those of captures are false.
  ir::Mask MaskOf(const std::vector<bool>& arguments) const;

  // Makes the error that of the trace, with the name of the operation.
  Tensor Fail(const absl::Status& status) const {
    return tracer_->Fail(Annotate(status, operation_));
  }
  Tensor Fail(absl::string_view what) const { return tracer_->Fail(ShapeError(operation_, what)); }

 private:
  const std::string operation_;
  std::shared_ptr<Tracer> tracer_;
  std::vector<ir::TensorType> types_;
  ir::Function function_;
  std::vector<Tensor> captures_;
};

// The types of tensors, and tensors of a trace for its values.
std::vector<ir::TensorType> TypesOf(const std::vector<Tensor>& tensors);
std::vector<Tensor> Made(Tracer& tracer, absl::Span<const ir::ValueId> values);
// Numbers become constants of the trace.
std::vector<Tensor> InTrace(Tracer& tracer, const std::vector<Tensor>& tensors);
// "(tensor<3xf32>, tensor<i1>)".
std::string TypesText(const std::vector<ir::TensorType>& types);

}  // namespace acceld::client
