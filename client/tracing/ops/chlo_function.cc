#include "client/tracing/ops/chlo_function.h"

#include <memory>
#include <vector>

#include "client/tracing/tracer.h"
#include "common/ir/emitter.h"
#include "common/ir/transform/composites/chlo_functions.h"

namespace acceld::client {
namespace {

Tensor Append(absl::string_view name, Tracer& tracer, const std::vector<Tensor>& operands) {
  absl::StatusOr<std::vector<ir::ValueId>> values = tracer.Values(operands);
  if (!values.ok()) return tracer.Fail(values.status());
  ir::Emitter emitter(tracer.builder(), tracer.location());
  const ir::ValueId result = ir::ChloFunction(tracer.module(), emitter, name, *std::move(values));
  return emitter.ok() ? tracer.Make(result) : tracer.Fail(emitter.status());
}

}  // namespace

Tensor ChloFunction(absl::string_view name, const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  return Append(name, *tracer, {a});
}

Tensor ChloFunction(absl::string_view name, const Operand& a, const Operand& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  const auto [left, right] = tracer->BroadcastTogether(name, a, b);
  return Append(name, *tracer, {left, right});
}

}  // namespace acceld::client
