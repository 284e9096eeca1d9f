#include <utility>

#include "common/ir/fingerprint.h"
#include "common/ir/verify/verifier.h"
#include "server/codegen/cpu/cpu_code_generator.h"
#include "server/codegen/cuda/cuda_code_generator.h"
#include "server/codegen/cuda/deviceless_generator.h"
#include "server/codegen/cuda/nvrtc_compiler.h"
#include "server/compiler/compiler.h"
#include "server/compiler/process_signature.h"
#include "server/compiler/warm_up.h"
#include "server/engine/cache/remote_tier_options.h"
#include "server/engine/engine.h"
#include "server/engine/engine_parts.h"
#include "server/hal/cpu/cpu_device.h"
#include "server/hal/cuda/driver/open_devices.h"

// The engine of the daemon: the devices of this machine and the real compiler.
namespace acceld::engine {
namespace {

// GPUs come first: programs that name no device run there.
absl::Status OpenDevices(const EngineOptions& options, EngineParts& parts) {
  ACCELD_ASSIGN_OR_RETURN(const hal::cuda::DeviceSelection wanted,
                          hal::cuda::ParseDeviceSelection(options.cuda_devices));
  ACCELD_ASSIGN_OR_RETURN(
      hal::cuda::OpenedDevices gpus,
      hal::cuda::OpenSelectedDevices(hal::cuda::Driver::Get(), wanted,
                                     {.memory_bytes = options.cuda_memory_bytes},
                                     {.find_compiler = codegen::cuda::FindNvrtcCompiler}));
  for (hal::cuda::OpenedCudaDevice& gpu : gpus.devices) {
    auto generator = std::make_unique<codegen::cuda::CudaCodeGenerator>(gpu);
    parts.devices.push_back({std::move(gpu.device), std::move(generator)});
  }
  for (std::string& reason : gpus.missing) {
    parts.missing_devices.push_back({"cuda", std::move(reason), ""});
  }
  for (hal::cuda::MissingLibrary& library : gpus.missing_libraries) {
    parts.missing_devices.push_back({"cuda", std::move(library.reason), std::move(library.name)});
  }
  ACCELD_ASSIGN_OR_RETURN(
      auto cpus,
      hal::cpu::OpenCpuDevices({.num_devices = options.cpu_devices,
                                .threads_per_device = options.threads_per_device,
                                .memory_bytes_per_device = options.device_memory_bytes,
                                .prepared_bytes_per_device = options.prepared_memory_bytes}));
  const auto compiler =
      std::make_shared<const kernels::cpu::CpuCompiler>(kernels::cpu::CpuTarget::Host());
  for (auto& cpu : cpus) {
    parts.devices.push_back(
        {std::move(cpu), std::make_unique<codegen::cpu::CpuCodeGenerator>(compiler)});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options) {
  EngineParts parts;
  ACCELD_RETURN_IF_ERROR(OpenDevices(options, parts));
  const compiler::CompileOptions compile_options{.dump_dir = options.dump_dir,
                                                 .disabled_passes = options.disabled_passes};
  parts.compile_options = compiler::KeyOf(compile_options);
  parts.compile = [compile_options](const ir::Module& module, absl::string_view entry,
                                    absl::Span<const ir::TensorType> arguments,
                                    const codegen::CodeGenerator& generator,
                                    std::vector<compiler::CompileStep>* steps,
                                    const StopFlag& stop) {
    return compiler::Compile(module, entry, arguments, generator, compile_options, steps, &stop);
  };
  if (options.warm_up) parts.warm_up = compiler::WarmUp;
  parts.result_types = compiler::ResultTypesOfRun;
  parts.process_signature = compiler::SignatureOfProcess;
  parts.process_program = compiler::ProgramOfProcess;
  parts.verify = ir::Verify;
  parts.fingerprint = ir::Fingerprint;
  parts.make_generator = [](const std::string& architecture) {
    return codegen::cuda::MakeDevicelessGenerator(architecture, codegen::cuda::FindNvrtcCompiler);
  };
  parts.build_id = compiler::BuildId();
  ACCELD_ASSIGN_OR_RETURN(parts.bundle_keys, LoadSigningKeys(options.remote_cache));
  ACCELD_ASSIGN_OR_RETURN(parts.remote_cache,
                          ToRemoteTierOptions(options.remote_cache, CompileThreads(options)));
  return MakeEngine(options, std::move(parts));
}

}  // namespace acceld::engine
