#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "client/host_callbacks.h"
#include "client/pjrt/abi/abi.h"
#include "client/pjrt/compile/compile_answer.h"
#include "client/pjrt/compile/cost_properties.h"
#include "client/pjrt/compile/program_text.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/distribution/device_assignment.h"
#include "client/pjrt/distribution/op_sharding.h"
#include "client/program.h"
#include "client/program_sharding.h"
#include "common/ir/types/type.h"

namespace acceld::pjrt {

// A program that was given to the daemon for compilation. Immutable, except for what is computed on
// demand (`answer`, `cost` and `text`).
struct CompiledProgram {
  // `sharding` describes the values of a program for several devices; nullptr for a program for
  // one. `compile` requests the compilation from the daemon, and `find_text` the program whose text
  // is `text`; `options` are returned to a framework that asks for them.
  CompiledProgram(client::Program program, DeviceAssignment assignment,
                  std::shared_ptr<const client::ProgramSharding> sharding, std::string options,
                  CompileAnswer::Compile compile, ProgramText::Find find_text);

  const client::Program program;
  const DeviceAssignment assignment;  // Not a part of the program: equal programs may differ in it.
  const std::string options;          // a serialized CompileOptionsProto
  const std::string name;             // "jit_train_step"
  const std::string fingerprint;      // Hexadecimal; the same for equal programs.
  // The types of the arguments and results of one process, which are shards of those of the program
  // if there are several.
  const std::vector<ir::TensorType> argument_types, result_types;
  // How the parameters and results of a program for several devices are distributed; without
  // elements for others.
  const SerializedShardings parameter_shardings, result_shardings;
  // Properties of the results of one process, as the interface lists them.
  std::vector<PJRT_Buffer_Type> result_element_types;
  std::vector<int64_t> result_dims;  // Of all results, concatenated.
  std::vector<size_t> result_ranks;
  std::vector<const char*> result_memory_kinds;
  std::vector<size_t> result_memory_kind_sizes;
  std::vector<PJRT_Layouts_MemoryLayout*> result_layouts, parameter_layouts;
  // Numbers of the parameters that an execution consumes (donated_arguments.h), ascending.
  std::vector<uint32_t> donated;
  const std::unique_ptr<CompileAnswer> answer;
  const std::unique_ptr<CostProperties> cost;
  // Of the program itself, or of what one of several processes runs.
  const std::unique_ptr<ProgramText> text;
};

}  // namespace acceld::pjrt

// A compiled program, without a device to run on.
struct PJRT_Executable {
  std::shared_ptr<const acceld::pjrt::CompiledProgram> compiled;  // Shared with loaded executables.
};

// A compiled program and the devices that it runs on. Immutable except for `deleted`.
struct PJRT_LoadedExecutable {
  std::shared_ptr<const acceld::pjrt::CompiledProgram> compiled;  // Shared with PJRT_Executables.
  PJRT_Client* client;
  std::vector<PJRT_Device*> devices;  // Those of compiled->assignment, by process.
  acceld::client::HostCallbacks callbacks;
  std::atomic<bool> deleted{false};
};
