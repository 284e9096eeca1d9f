#include <utility>

#include "common/ir/fingerprint.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/verifier.h"
#include "server/compiler/compiler.h"
#include "server/engine/engine.h"
#include "server/engine/engine_parts.h"
#include "server/hal/cpu/cpu_device.h"
#include "server/hal/cuda/find_devices.h"

// The engine as the daemon runs it: this machine's devices and the real compiler.
namespace acceld::engine {

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options) {
  EngineParts parts;
  ACCELD_ASSIGN_OR_RETURN(
      parts.devices,
      hal::cpu::OpenCpuDevices({.num_devices = options.cpu_devices,
                                .threads_per_device = options.threads_per_device,
                                .memory_bytes_per_device = options.device_memory_bytes}));
  parts.missing_devices = {{"cuda", hal::cuda::WhyNoCudaDevices(hal::cuda::Driver::Get())}};
  const compiler::CompileOptions compile_options{.dump_dir = options.dump_dir,
                                                 .disabled_passes = options.disabled_passes};
  parts.compile_options = compiler::KeyOf(compile_options);
  parts.compile = [compile_options](const ir::Module& module, absl::string_view entry,
                                    absl::Span<const ir::TensorType> arguments,
                                    const hal::CodeGenerator& generator,
                                    std::vector<compiler::CompileStep>* steps) {
    return compiler::Compile(module, entry, arguments, generator, compile_options, steps);
  };
  parts.result_types = ir::ResultTypesOf;
  parts.verify = ir::Verify;
  parts.fingerprint = ir::Fingerprint;
  parts.build_id = compiler::BuildId();
  return MakeEngine(options, std::move(parts));
}

}  // namespace acceld::engine
