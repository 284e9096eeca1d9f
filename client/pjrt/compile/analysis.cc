#include "client/pjrt/compile/executable.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/functions.h"

// What a framework queries about an executable: its memory and its cost.
namespace acceld::pjrt {
namespace {

int64_t BytesOf(absl::Span<const ir::TensorType> types) {
  int64_t bytes = 0;
  for (const ir::TensorType& type : types) bytes += type.size_bytes();
  return bytes;
}

}  // namespace

// Waits for the compilation, and starts it if that was not done, because the caller wants the
// numbers.
absl::Status Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  const CompiledProgram& compiled = *args.executable->compiled;
  ACCELD_ASSIGN_OR_RETURN(const client::ExecutableMemory memory, compiled.answer->AwaitMemory());
  args.generated_code_size_in_bytes =
      static_cast<int64_t>(memory.code_bytes + memory.constants_bytes);
  args.argument_size_in_bytes = BytesOf(compiled.argument_types);
  args.output_size_in_bytes = BytesOf(compiled.result_types);
  args.alias_size_in_bytes = static_cast<int64_t>(memory.alias_bytes);
  args.temp_size_in_bytes = static_cast<int64_t>(memory.arena_bytes);
  // A program uses only memory of its device.
  args.host_generated_code_size_in_bytes = 0;
  args.host_argument_size_in_bytes = 0;
  args.host_output_size_in_bytes = 0;
  args.host_alias_size_in_bytes = 0;
  args.host_temp_size_in_bytes = 0;
  args.total_size_in_bytes = args.argument_size_in_bytes + args.output_size_in_bytes -
                             args.alias_size_in_bytes + args.temp_size_in_bytes;
  args.peak_memory_in_bytes = args.total_size_in_bytes;
  return absl::OkStatus();
}

// Returns 0 until the compilation has ended. This function must neither fail nor block: jaxlib ends
// the process on an error, and calls it while it holds Python's global interpreter lock.
absl::Status Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  const absl::optional<client::ExecutableMemory> memory =
      args.executable->compiled->answer->KnownMemory();
  args.size_in_bytes =
      memory.has_value() ? static_cast<int64_t>(memory->code_bytes + memory->constants_bytes) : 0;
  return absl::OkStatus();
}

absl::Status Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  const CompiledProgram& compiled = *args.executable->compiled;
  ACCELD_ASSIGN_OR_RETURN(const NamedValues* const values, compiled.cost->Of(compiled.program));
  args.num_properties = values->size();
  args.properties = values->data();
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
