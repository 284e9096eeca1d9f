#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/pjrt/compile/compile_options.h"
#include "client/pjrt/compile/executable.h"
#include "client/pjrt/devices/client.h"
#include "client/pjrt/devices/fork.h"
#include "client/pjrt/functions.h"
#include "client/pjrt/run/entry_tokens.h"
#include "client/pjrt/run/host_callbacks.h"
#include "client/serialized_program.h"
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

absl::StatusOr<PJRT_LoadedExecutable*> Load(PJRT_Client& client, client::Program program,
                                            const CompileOptions& options) {
  PJRT_Device* device = client.device_pointers.front();
  if (options.device.has_value()) {
    ACCELD_ASSIGN_OR_RETURN(device, FindDevice(client, *options.device));
  }
  // The client may be gone when the compilation is requested.
  const auto compile = [program, weak = std::weak_ptr<client::Client>(client.session),
                        daemon_id = device->daemon_id]() -> Future<client::CompileInfo> {
    const std::shared_ptr<client::Client> session = weak.lock();
    if (session == nullptr) {
      return absl::StatusOr<client::CompileInfo>(absl::UnavailableError("the client was closed"));
    }
    const absl::Span<const ir::TensorType> parameters = program.parameter_types();
    return session->Compile(program, {parameters.begin(), parameters.end()}, daemon_id);
  };
  auto compiled =
      std::make_shared<CompiledProgram>(std::move(program), options.serialized, compile);
  if (options.start != CompileOptions::Start::kLater) {
    const Future<client::CompileInfo> done = compiled->answer->Begin();
    if (options.start == CompileOptions::Start::kNowAndWait) {
      ACCELD_RETURN_IF_ERROR(done.Await().status());
    }
  }
  return new PJRT_LoadedExecutable{.compiled = std::move(compiled),
                                   .client = &client,
                                   .device = device,
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
      const CompileOptions options,
      ReadCompileOptions(absl::string_view(args.overridden_serialized_compile_options,
                                           args.overridden_serialized_compile_options_size)));
  const absl::string_view bytes(args.serialized_executable, args.serialized_executable_size);
  if (!client::IsSerializedProgram(bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes that are no executable which acceld has serialized"));
  }
  ACCELD_ASSIGN_OR_RETURN(client::Program program, client::Program::FromBytes(bytes));
  ACCELD_ASSIGN_OR_RETURN(args.loaded_executable, Load(*args.client, std::move(program), options));
  return absl::OkStatus();
}

// Programs can only be compiled for the devices of a client.
absl::Status Compile(PJRT_Compile_Args&) {
  return absl::UnimplementedError(
      "acceld compiles for the devices of a daemon: create a client and compile with it");
}

}  // namespace acceld::pjrt
