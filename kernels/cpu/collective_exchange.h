#pragma once

#include "common/status.h"
#include "kernels/ir/collective.h"

namespace acceld::kernels::cpu {

// The interface through which a running plan exchanges values with the other participants of its
// launch. The caller of CpuModule::Run implements it.
class CollectiveExchange {
 public:
  // Takes part in `collective`: blocks until the participants of the group have come to the same
  // collective and the results of this one have been written, or the run has to end. `site` numbers
  // the step within the plan, so that participants that wait at different steps are told apart.
  // `operands` and `results` are the addresses of the buffers in the order of the collective;
  // elements are dense and row-major. Results share no bytes with operands or with each other. The
  // thread that runs the plan calls this function. After an error the run fails with the returned
  // status. All members of a group get equal bits of what is combined.
  virtual absl::Status Run(const Collective& collective, int64_t site, const void* const* operands,
                           void* const* results) = 0;

 protected:
  ~CollectiveExchange() = default;
};

}  // namespace acceld::kernels::cpu
