#include "client/tracing/host_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/tracing/tracer.h"
#include "common/ir/calls/host_callback.h"

namespace acceld::client {

std::vector<Tensor> CallHost(HostCallback callback, const Operands& operands,
                             const std::vector<ir::TensorType>& results, SideEffects effects) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(operands);
  if (tracer == nullptr) return std::vector<Tensor>(results.size(), Tracer::BadNumber());
  const auto fail = [&](const absl::Status& status) {
    return std::vector<Tensor>(results.size(), tracer->Fail(status));
  };
  if (callback == nullptr) return fail(absl::InvalidArgumentError("CallHost: an empty callback"));
  const int64_t number = tracer->AddCallback(std::move(callback));
  if (number >= ir::kMaxHostCallbacks) {
    return fail(absl::InvalidArgumentError(
        absl::StrCat("CallHost: a program has at most ", ir::kMaxHostCallbacks, " callbacks")));
  }
  const std::vector<ir::Type> types(results.begin(), results.end());
  absl::StatusOr<std::vector<ir::ValueId>> values = tracer->Values(operands.tensors());
  if (values.ok()) {
    values = tracer->builder().Add(ir::OpKind::kCustomCall, *std::move(values),
                                   ir::HostCallbackAttributes(number, effects == SideEffects::kYes),
                                   {}, types);
  }
  if (!values.ok()) return fail(values.status());
  std::vector<Tensor> tensors;
  for (const ir::ValueId value : *values) tensors.push_back(tracer->Make(value));
  return tensors;
}

}  // namespace acceld::client
