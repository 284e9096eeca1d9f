#include "kernels/cpu/support/collective.h"

#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/cpu/collective_key.h"
#include "kernels/cpu/run_state.h"

namespace acceld::kernels::cpu {
namespace {

absl::Status Exchange(const LaunchContext& context, const int64_t* descriptor,
                      void* const* addresses) {
  const CollectiveAtSite read = ReadCollective(descriptor);
  const Collective& collective = read.collective;
  if (context.collectives == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOf(collective.kind),
                     ": the program exchanges values with other participants of its launch, but it "
                     "runs without any"));
  }
  return context.collectives->Run(collective, read.site, addresses,
                                  addresses + collective.operands.size());
}

}  // namespace

int32_t RunCollective(const LaunchContext* context, const int64_t* descriptor,
                      void* const* addresses) {
  absl::Status status;
  try {
    status = Exchange(*context, descriptor, addresses);
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("no memory for a collective");
  }
  if (status.ok()) return static_cast<int32_t>(CodeStatus::kOk);
  // CANCELLED is recorded as well, as it may be the error of another participant.
  RunState::Of(context).Fail(std::move(status));
  return static_cast<int32_t>(CodeStatus::kFailed);
}

}  // namespace acceld::kernels::cpu
