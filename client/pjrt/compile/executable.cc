#include "client/pjrt/compile/executable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "client/pjrt/compile/donated_arguments.h"
#include "client/pjrt/compile/serialized_executable.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/devices/memory.h"
#include "client/pjrt/dtype.h"
#include "client/pjrt/extensions/layouts.h"
#include "client/pjrt/functions.h"

// The bytes that PJRT_LoadedExecutable_GetDeviceAssignment returns.
struct PJRT_DeviceAssignmentSerialized {
  std::string bytes;
};

// The bytes that PJRT_Executable_Serialize returns.
struct PJRT_SerializedExecutable {
  std::string bytes;
};

// The bytes that PJRT_Executable_GetCompileOptions returns.
struct PJRT_SerializedCompileOptions {
  std::string bytes;
};

namespace acceld::pjrt {

namespace {

using Types = std::vector<ir::TensorType>;

Types ToVector(absl::Span<const ir::TensorType> types) { return {types.begin(), types.end()}; }

// Lists shardings of a program, if it has any.
SerializedShardings Serialized(const client::ProgramSharding* sharding,
                               std::vector<ir::Sharding> client::ProgramSharding::* shardings) {
  if (sharding == nullptr) return {};
  return {sharding->*shardings, sharding->mesh};
}

}  // namespace

CompiledProgram::CompiledProgram(client::Program compiled_program,
                                 DeviceAssignment device_assignment,
                                 std::shared_ptr<const client::ProgramSharding> sharding,
                                 std::string compile_options, CompileAnswer::Compile compile,
                                 ProgramText::Find find_text)
    : program(std::move(compiled_program)),
      assignment(std::move(device_assignment)),
      options(std::move(compile_options)),
      name(program.module().name),
      fingerprint(program.fingerprint().ToHex()),
      argument_types(sharding ? sharding->arguments : ToVector(program.parameter_types())),
      result_types(sharding ? sharding->results : ToVector(program.result_types())),
      parameter_shardings(Serialized(sharding.get(), &client::ProgramSharding::argument_shardings)),
      result_shardings(Serialized(sharding.get(), &client::ProgramSharding::result_shardings)),
      result_layouts(LayoutsOf(result_types)),
      parameter_layouts(LayoutsOf(argument_types)),
      answer(std::make_unique<CompileAnswer>(std::move(compile))),
      cost(std::make_unique<CostProperties>()),
      text(std::make_unique<ProgramText>(std::move(find_text))) {
  for (const ir::TensorType& type : result_types) {
    result_element_types.push_back(ToPjrt(type.dtype));
    result_dims.insert(result_dims.end(), type.dims.begin(), type.dims.end());
    result_ranks.push_back(type.dims.size());
    result_memory_kinds.push_back(PJRT_Memory::kKind);
    result_memory_kind_sizes.push_back(std::strlen(PJRT_Memory::kKind));
  }
  donated = DonatedArguments(program.module().Find(program.entry())->donations, argument_types,
                             result_types);
}

absl::Status Executable_Destroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status Executable_Name(PJRT_Executable_Name_Args& args) {
  args.executable_name = args.executable->compiled->name.data();
  args.executable_name_size = args.executable->compiled->name.size();
  return absl::OkStatus();
}

absl::Status Executable_NumReplicas(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = static_cast<size_t>(args.executable->compiled->assignment.grid.num_replicas);
  return absl::OkStatus();
}

absl::Status Executable_NumPartitions(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions =
      static_cast<size_t>(args.executable->compiled->assignment.grid.num_partitions);
  return absl::OkStatus();
}

absl::Status Executable_NumOutputs(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->compiled->result_types.size();
  return absl::OkStatus();
}

absl::Status Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args& args) {
  // The interface's type lacks a const, and nobody writes to the list.
  const std::vector<PJRT_Buffer_Type>& types = args.executable->compiled->result_element_types;
  args.output_types = const_cast<PJRT_Buffer_Type*>(types.data());
  args.num_output_types = types.size();
  return absl::OkStatus();
}

absl::Status Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args& args) {
  args.num_outputs = args.executable->compiled->result_ranks.size();
  args.dims = args.executable->compiled->result_dims.data();
  args.dim_sizes = args.executable->compiled->result_ranks.data();
  return absl::OkStatus();
}

absl::Status Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args) {
  args.num_outputs = args.executable->compiled->result_memory_kinds.size();
  args.memory_kinds = args.executable->compiled->result_memory_kinds.data();
  args.memory_kind_sizes = args.executable->compiled->result_memory_kind_sizes.data();
  return absl::OkStatus();
}

absl::Status Executable_Fingerprint(PJRT_Executable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->compiled->fingerprint.data();
  args.executable_fingerprint_size = args.executable->compiled->fingerprint.size();
  return absl::OkStatus();
}

// Returns the text of the program as it was submitted or, for several devices, as it was
// partitioned for one of them. What the daemon makes of it further is no StableHLO.
absl::Status Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args) {
  static constexpr char kFormat[] = "mlir";
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  ACCELD_ASSIGN_OR_RETURN(const std::string* const text, args.executable->compiled->text->Get());
  args.program->format = kFormat;
  args.program->format_size = std::strlen(kFormat);
  if (args.program->code != nullptr) {
    std::memcpy(args.program->code, text->data(), std::min(args.program->code_size, text->size()));
  }
  args.program->code_size = text->size();
  return absl::OkStatus();
}

absl::Status Executable_Serialize(PJRT_Executable_Serialize_Args& args) {
  const CompiledProgram& compiled = *args.executable->compiled;
  auto* const serialized =
      new PJRT_SerializedExecutable{SerializeExecutable(compiled.program, compiled.assignment)};
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_executable = serialized;
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable* bytes) { delete bytes; };
  return absl::OkStatus();
}

absl::Status Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args) {
  auto* const serialized = new PJRT_SerializedCompileOptions{args.executable->compiled->options};
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_compile_options = serialized;
  args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions* bytes) {
    delete bytes;
  };
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable{args.loaded_executable->compiled};
  return absl::OkStatus();
}

absl::Status LoadedExecutable_AddressableDevices(
    PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->devices.data();
  args.num_addressable_devices = args.executable->devices.size();
  return absl::OkStatus();
}

absl::Status LoadedExecutable_GetDeviceAssignment(
    PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  auto* const serialized = new PJRT_DeviceAssignmentSerialized{
      ToProto(args.executable->compiled->assignment).SerializeAsString()};
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_device_assignment = serialized;
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized* bytes) {
    delete bytes;
  };
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->compiled->fingerprint.data();
  args.executable_fingerprint_size = args.executable->compiled->fingerprint.size();
  return absl::OkStatus();
}

absl::Status LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args& args) {
  args.executable->deleted = true;
  return absl::OkStatus();
}

absl::Status LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = args.executable->deleted;
  return absl::OkStatus();
}

}  // namespace acceld::pjrt
