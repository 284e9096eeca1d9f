#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/pjrt/compile/compile_options.h"
#include "client/pjrt/compile/executable.h"
#include "client/pjrt/compile/serialized_executable.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/distribution/placement.h"
#include "client/pjrt/functions.h"
#include "client/pjrt/run/entry_tokens.h"
#include "client/pjrt/run/host_callbacks.h"
#include "common/ir/program.h"

// Makes executables of serialized programs. A program is read and verified here, so that the types
// of its results are known at once; the daemon compiles it meanwhile.
namespace acceld::pjrt {
namespace {

constexpr char kEntry[] = "main";

absl::StatusOr<client::Program> ReadProgram(const PJRT_Program& program) {
  const absl::string_view format(program.format, program.format_size);
  if (format != "mlir") {
    return absl::UnimplementedError(
        absl::StrCat("a program in the format '", format, "'; acceld reads 'mlir' (StableHLO)"));
  }
  ACCELD_ASSIGN_OR_RETURN(ir::Module module,
                          ir::ReadProgram(absl::string_view(program.code, program.code_size)));
  ACCELD_ASSIGN_OR_RETURN(client::Program read, client::Program::FromModule(
                                                    ReplaceEntryTokens(std::move(module), kEntry)));
  const auto types = {read.parameter_types(), read.result_types()};
  for (const absl::Span<const ir::TensorType> list : types) {
    for (const ir::TensorType& type : list) {
      if (type.IsStatic()) continue;
      return absl::UnimplementedError(
          absl::StrCat("'", read.module().name, "' has a parameter or result ", type.ToString(),
                       "; a program that is run by JAX has static shapes"));
    }
  }
  return read;
}

// Returns the function that requests a compilation of the program. The client may be gone when the
// function is called.
CompileAnswer::Compile CompileOn(const PJRT_Device& device, const client::Program& program) {
  return [program, weak = std::weak_ptr<client::Client>(device.client->session),
          daemon_id = device.daemon_id]() -> Future<client::CompileInfo> {
    const std::shared_ptr<client::Client> session = weak.lock();
    if (session == nullptr) {
      return absl::StatusOr<client::CompileInfo>(absl::UnavailableError("the client was closed"));
    }
    // The argument types of a program for several devices follow from the program.
    const absl::Span<const ir::TensorType> parameters = program.module().grid.size() > 1
                                                            ? absl::Span<const ir::TensorType>()
                                                            : program.parameter_types();
    return session->Compile(program, {parameters.begin(), parameters.end()}, daemon_id);
  };
}

// Returns the function that finds the program whose text is shown.
ProgramText::Find TextOf(const PJRT_Device& device, const client::Program& program) {
  return [program, weak = std::weak_ptr<client::Client>(device.client->session)]()
             -> absl::StatusOr<std::shared_ptr<const ir::Module>> {
    if (program.module().grid.size() == 1) {
      const auto kept = std::make_shared<const client::Program>(program);
      return std::shared_ptr<const ir::Module>(kept, &kept->module());
    }
    const std::shared_ptr<client::Client> session = weak.lock();
    if (session == nullptr) return absl::UnavailableError("the client was closed");
    ACCELD_ASSIGN_OR_RETURN(client::PartitionedProgram partitioned, session->Partition(program));
    return std::move(partitioned.program);
  };
}

// Returns how the values of a program for several devices are distributed, for which the framework
// asks at once. This waits for the compiler, unless the program is to be compiled later.
absl::StatusOr<std::shared_ptr<const client::ProgramSharding>> ShardingOf(
    const PJRT_Device& device, const client::Program& program, CompileOptions::Start start) {
  client::Client& session = *device.client->session;
  if (start == CompileOptions::Start::kLater) {
    absl::StatusOr<client::PartitionedProgram> partitioned = session.Partition(program);
    if (partitioned.ok()) return std::move(partitioned->sharding);
    // A daemon of an earlier version tells only what it compiles.
    if (!absl::IsUnimplemented(partitioned.status())) return partitioned.status();
  }
  return session.ShardingOf(program, device.daemon_id);
}

// Loads a program on the devices that the options name.
absl::StatusOr<PJRT_LoadedExecutable*> Load(PJRT_Client& client, client::Program program,
                                            const CompileOptions& options) {
  ACCELD_ASSIGN_OR_RETURN(DeviceAssignment assignment, AssignmentFor(options, program.module()));
  ACCELD_ASSIGN_OR_RETURN(std::vector<PJRT_Device*> devices, FindDevices(client, assignment));
  std::shared_ptr<const client::ProgramSharding> sharding;
  if (devices.size() > 1) {
    ACCELD_ASSIGN_OR_RETURN(sharding, ShardingOf(*devices.front(), program, options.start));
  }
  CompileAnswer::Compile compile = CompileOn(*devices.front(), program);
  ProgramText::Find find_text = TextOf(*devices.front(), program);
  auto compiled = std::make_shared<CompiledProgram>(std::move(program), std::move(assignment),
                                                    std::move(sharding), options.serialized,
                                                    std::move(compile), std::move(find_text));
  if (options.start != CompileOptions::Start::kLater) {
    const Future<client::CompileInfo> done = compiled->answer->Begin();
    if (options.start == CompileOptions::Start::kNowAndWait) {
      ACCELD_RETURN_IF_ERROR(done.Await().status());
    }
  }
  return new PJRT_LoadedExecutable{.compiled = std::move(compiled),
                                   .client = &client,
                                   .devices = std::move(devices),
                                   .callbacks = PythonCallbacks(options.callbacks)};
}

}  // namespace

absl::Status Client_Compile(PJRT_Client_Compile_Args& args) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  ACCELD_ASSIGN_OR_RETURN(
      const CompileOptions options,
      ReadCompileOptions(absl::string_view(args.compile_options, args.compile_options_size)));
  ACCELD_ASSIGN_OR_RETURN(client::Program program, ReadProgram(*args.program));
  ACCELD_ASSIGN_OR_RETURN(args.executable, Load(*args.client, std::move(program), options));
  return absl::OkStatus();
}

absl::Status Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args& args) {
  ACCELD_RETURN_IF_ERROR(CheckNotForked());
  ACCELD_ASSIGN_OR_RETURN(
      CompileOptions options,
      ReadCompileOptions(absl::string_view(args.overridden_serialized_compile_options,
                                           args.overridden_serialized_compile_options_size)));
  ACCELD_ASSIGN_OR_RETURN(SerializedExecutable executable,
                          DeserializeExecutable(absl::string_view(
                              args.serialized_executable, args.serialized_executable_size)));
  if (!options.assignment.has_value()) options.assignment = std::move(executable.assignment);
  ACCELD_ASSIGN_OR_RETURN(args.loaded_executable,
                          Load(*args.client, std::move(executable.program), options));
  return absl::OkStatus();
}

// Programs can only be compiled for the devices of a client.
absl::Status Compile(PJRT_Compile_Args&) {
  return absl::UnimplementedError(
      "acceld compiles for the devices of a daemon: create a client and compile with it");
}

}  // namespace acceld::pjrt
