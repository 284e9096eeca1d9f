#include "client/pjrt/extensions/shardings.h"

#include "client/pjrt/abi/table.h"
#include "client/pjrt/compile/executable.h"
#include "client/pjrt/entry.h"
#include "client/pjrt/functions.h"

namespace acceld::pjrt {

// In both functions, returning no array is the interface's way to say that there are no shardings.

absl::Status Shardings_PJRT_Executable_ParameterShardings(
    PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  args.num_parameters = args.executable->compiled->parameter_layouts.size();
  args.shardings = nullptr;
  args.sharding_sizes = nullptr;
  return absl::OkStatus();
}

absl::Status Shardings_PJRT_Executable_OutputShardings(
    PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  args.num_outputs = args.executable->compiled->result_layouts.size();
  args.shardings = nullptr;
  args.sharding_sizes = nullptr;
  return absl::OkStatus();
}

PJRT_Extension_Base* ShardingsExtension(PJRT_Extension_Base* next) {
  static PJRT_Shardings_Extension extension = {
      .base = {.struct_size = sizeof(PJRT_Shardings_Extension),
               .type = PJRT_Extension_Type_Shardings,
               .next = next},
#define PJRT_IN(type, name)
#define PJRT_OUT(type, name)
#define PJRT_FUNCTION(name, ...) .PJRT_##name = &Entry<PJRT_##name##_Args, &name>,
#include "client/pjrt/abi/shardings.def"
  };
  return &extension.base;
}

}  // namespace acceld::pjrt
