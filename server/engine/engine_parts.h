#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"
#include "common/ir/processes/process_signature.h"
#include "common/status.h"
#include "common/threads/stop_flag.h"
#include "server/cache/remote/remote_tier.h"
#include "server/codegen/target_device.h"
#include "server/compiler/compile_step.h"
#include "server/engine/cache/compile_targets.h"
#include "server/engine/engine.h"
#include "server/hal/executable.h"

namespace acceld::engine {

// The parts from which an engine is built: Engine::Create uses the real compiler and devices, tests
// may use others. The functions are thread-safe.
struct EngineParts {
  std::vector<codegen::TargetDevice> devices;  // at least one
  std::vector<MissingDevices> missing_devices;
  std::function<absl::StatusOr<hal::Executable>(
      const ir::Module& module, absl::string_view entry, absl::Span<const ir::TensorType> arguments,
      const codegen::CodeGenerator& generator, std::vector<compiler::CompileStep>* steps,
      const StopFlag& stop)>
      compile;
  std::function<absl::StatusOr<std::vector<ir::TensorType>>(
      const ir::Module& module, absl::string_view entry,
      absl::Span<const ir::TensorType> arguments)>
      result_types;
  // Of programs for several processes.
  std::function<absl::StatusOr<ir::ProcessSignature>(const ir::Module& module,
                                                     absl::string_view entry)>
      process_signature;
  std::function<absl::StatusOr<ir::Module>(const ir::Module& module, absl::string_view entry)>
      process_program;
  std::function<absl::Status(const ir::Module& module)> verify;
  std::function<Digest(const ir::Module& module, absl::string_view entry)> fingerprint;
  // Performs the slow initialization of a generator, so that its first compile is quick; may be
  // empty.
  std::function<absl::Status(const codegen::CodeGenerator& generator)> warm_up;
  CompileTargets::MakeGenerator make_generator;  // for architectures that no device here has
  std::string build_id;
  std::string compile_options;  // the options of `compile` that change code, for cache keys
  int max_in_flight = 64;       // the most launches on a device at a time
  absl::optional<cache::RemoteTier::Options> remote_cache;  // nullopt: none
  std::vector<cache::SigningKey> bundle_keys;               // see cache::Tools
};

// Makes an engine of these parts. Ignores the options that describe devices. Blocks while it reads
// the cache folder's index.
std::unique_ptr<Engine> MakeEngine(const EngineOptions& options, EngineParts parts);

}  // namespace acceld::engine
