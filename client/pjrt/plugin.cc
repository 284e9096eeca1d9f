#include "client/pjrt/functions.h"
#include "client/pjrt/named_values.h"

namespace acceld::pjrt {

absl::Status Plugin_Initialize(PJRT_Plugin_Initialize_Args&) { return absl::OkStatus(); }

// A framework serializes programs in its own version of StableHLO or in this one, whichever is
// older, so this is the newest version that the reader supports (common/ir/bytecode).
absl::Status Plugin_Attributes(PJRT_Plugin_Attributes_Args& args) {
  static const NamedValues& attributes = *[] {
    auto* const values = new NamedValues;
    values->Add("stablehlo_current_version", std::vector<int64_t>{1, 22, 0});
    values->Add("stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0});
    return values;
  }();
  args.attributes = attributes.data();
  args.num_attributes = attributes.size();
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
