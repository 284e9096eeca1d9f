#include "client/pjrt/compile/cost_properties.h"

#include <utility>

namespace acceld::pjrt {

absl::StatusOr<const NamedValues*> CostProperties::Of(const client::Program& program) {
  MutexLock lock(mutex_);
  if (values_ != nullptr) return values_.get();
  ACCELD_ASSIGN_OR_RETURN(const ir::Cost cost, program.CostFor(program.parameter_types()));
  auto values = std::make_unique<NamedValues>();
  values->Add("flops", static_cast<float>(cost.flops));
  values->Add("transcendentals", static_cast<float>(cost.transcendentals));
  values->Add("bytes accessed", static_cast<float>(cost.bytes_accessed));
  values_ = std::move(values);
  return values_.get();
}

}  // namespace acceld::pjrt
