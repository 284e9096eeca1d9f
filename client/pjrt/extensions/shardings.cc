#include "client/pjrt/extensions/shardings.h"

#include "client/pjrt/abi/table.h"
#include "client/pjrt/compile/executable.h"
#include "client/pjrt/entry.h"
#include "client/pjrt/functions.h"

namespace acceld::pjrt {

// Both functions return no array where there are no shardings, which is how the interface says that
// the program runs on one device. It also says so of a program without parameters or results: JAX
// takes a list without elements for a list of one.

absl::Status Shardings_PJRT_Executable_ParameterShardings(
    PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  const CompiledProgram& compiled = *args.executable->compiled;
  args.num_parameters = compiled.argument_types.size();
  args.shardings = compiled.parameter_shardings.data();
  args.sharding_sizes = compiled.parameter_shardings.sizes();
  return absl::OkStatus();
}

absl::Status Shardings_PJRT_Executable_OutputShardings(
    PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  const CompiledProgram& compiled = *args.executable->compiled;
  args.num_outputs = compiled.result_types.size();
  args.shardings = compiled.result_shardings.data();
  args.sharding_sizes = compiled.result_shardings.sizes();
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
