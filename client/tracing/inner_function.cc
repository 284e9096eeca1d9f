#include "client/tracing/inner_function.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::client {

InnerFunction::InnerFunction(absl::string_view operation, const TracedFunction& function,
                             std::shared_ptr<Tracer> tracer, std::vector<ir::TensorType> types)
    : operation_(operation), tracer_(std::move(tracer)), types_(std::move(types)) {
  if (tracer_ == nullptr) return;
  const Tracer::Scope inner(operation_, tracer_);
  std::vector<Tensor> parameters;
  for (const ir::TensorType& type : types_) parameters.push_back(inner->Parameter(type));
  const std::vector<Tensor> results = function(parameters);
  absl::StatusOr<std::vector<ir::ValueId>> values = inner->Values(results);
  if (!values.ok()) {
    Fail(values.status());
    return;
  }
  function_ = inner->builder().Finish(*std::move(values));
  captures_ = inner->captures();
}

absl::StatusOr<std::vector<ir::ValueId>> InnerFunction::Values(
    const std::vector<Tensor>& arguments) const {
  std::vector<Tensor> all = arguments;
  for (size_t i = 0; i < all.size(); ++i) {
    if (Tracer::IsNumber(all[i])) all[i] = tracer_->Fill(Tracer::Number(all[i]), types_[i]);
  }
  all.insert(all.end(), captures_.begin(), captures_.end());
  return tracer_->Values(all);
}

ir::Mask InnerFunction::MaskOf(const std::vector<bool>& arguments) const {
  ir::Mask mask(function_.body.parameters.size());
  std::copy(arguments.begin(), arguments.end(), mask.begin());
  return mask;
}

std::vector<ir::TensorType> InnerFunction::ResultTypes() const {
  std::vector<ir::TensorType> types;
  for (size_t i = 0; i < num_results(); ++i) types.push_back(ResultType(i));
  return types;
}

std::vector<ir::TensorType> TypesOf(const std::vector<Tensor>& tensors) {
  std::vector<ir::TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

std::vector<Tensor> Made(Tracer& tracer, absl::Span<const ir::ValueId> values) {
  std::vector<Tensor> tensors;
  for (const ir::ValueId value : values) tensors.push_back(tracer.Make(value));
  return tensors;
}

std::vector<Tensor> InTrace(Tracer& tracer, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> made;
  for (const Tensor& tensor : tensors) made.push_back(tracer.InTrace(tensor));
  return made;
}

std::string TypesText(const std::vector<ir::TensorType>& types) {
  const std::vector<ir::Type> list(types.begin(), types.end());
  return absl::StrCat("(", ir::ToString(list), ")");
}

}  // namespace acceld::client
