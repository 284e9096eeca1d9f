#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/ir/types/literal.h"
#include "common/threads/future.h"
#include "server/engine/engine.h"
#include "server/engine/engine_parts.h"
#include "tests/unit/engine/fake_processes.h"
#include "tests/unit/runtime/fake_device.h"

namespace acceld::testing {

// What a test may decide about the fake compiler.
struct FakeCompiler {
  std::atomic<int> compiles{0};
  // The programs of all compiles that have begun, in order.
  std::vector<std::string> Order() {
    MutexLock lock(mutex);
    return order;
  }
  Mutex mutex;
  std::vector<std::string> order ABSL_GUARDED_BY(mutex);
  Future<Unit> may_end = absl::StatusOr<Unit>(Unit{});
};

// A module that is nothing but a name: what a program does follows from it.
//   add_one: f32[n] -> f32[n]      zeros: () -> f32[4]         add: f32[n], f32[n] -> f32[n]
//   fail: f32[n] -> f32[n], fails on the device                bad: does not compile
//   huge: () -> f32[2^40]          spin: () -> f32[1], runs until it is cancelled
//   heavy: f32[1024] -> f32[1024], adds one and has 8 KiB of constants
//   invalid: does not verify
// Those for several processes are in fake_processes.h.
inline ir::Module ModuleNamed(const std::string& name) {
  ir::Module module;
  module.name = name;
  module.functions.resize(1);
  module.functions[0].name = "main";
  return module;
}

inline absl::StatusOr<std::vector<ir::TensorType>> FakeResultTypes(
    const ir::Module& module, absl::Span<const ir::TensorType> arguments) {
  if (module.grid.size() > 1) return FakeProcessResultTypes(module, arguments);
  const size_t wanted = module.name == "add" ? 2
                        : module.name == "zeros" || module.name == "huge" || module.name == "spin"
                            ? 0
                            : 1;
  const bool are_floats = std::all_of(arguments.begin(), arguments.end(), [](const auto& type) {
    return type.dtype == ir::DType::kF32;
  });
  if (arguments.size() != wanted || !are_floats || (wanted == 2 && arguments[0] != arguments[1]) ||
      (module.name == "heavy" && arguments[0] != F32({1024}))) {
    return absl::InvalidArgumentError("the arguments do not fit");
  }
  if (module.name == "huge") return std::vector{F32({int64_t{1} << 40})};
  if (module.name == "zeros") return std::vector{F32({4})};
  if (module.name == "spin") return std::vector{F32({1})};
  return std::vector{arguments[0]};
}

inline absl::StatusOr<hal::Executable> FakeCompile(FakeCompiler& compiler, const ir::Module& module,
                                                   absl::Span<const ir::TensorType> arguments) {
  {
    MutexLock lock(compiler.mutex);
    compiler.order.push_back(module.name);
  }
  compiler.compiles.fetch_add(1);
  (void)compiler.may_end.Await();
  if (absl::StartsWith(module.name, "bad")) return absl::UnimplementedError("no lowering");
  hal::Executable executable;
  executable.program_name = module.name;
  executable.architecture = "fake";
  executable.build_id = "build-1";
  executable.arguments.assign(arguments.begin(), arguments.end());
  executable.results = *FakeResultTypes(module, arguments);
  executable.arena_bytes = 64;
  executable.steady = module.name != "spin";
  // All of these go element by element.
  for (uint32_t i = 0; i < arguments.size(); ++i) executable.may_share.push_back({i, 0});
  executable.code = module.name;
  if (module.name == "heavy") executable.constants = std::string(8 << 10, 'c');
  if (module.name == "add_one" || module.name == "add" || module.name == "zeros") {
    // Kernels have no other way to learn the number of elements.
    executable.code += std::to_string(executable.results[0].num_elements());
  }
  if (module.grid.size() > 1) SetProcessCode(module, executable);
  return executable;
}

inline void AddFakeKernels(FakeDevice& device) {
  for (const int64_t n : {1, 2, 4, 1024}) {
    const std::string suffix = std::to_string(n);
    device.kernels["add_one" + suffix] = [n](const kernels::cpu::LaunchContext& context) {
      const auto* in = static_cast<const float*>(context.arguments[0]);
      auto* out = static_cast<float*>(context.results[0]);
      for (int64_t i = 0; i < n; ++i) out[i] = in[i] + 1;
      return absl::OkStatus();
    };
    device.kernels["add" + suffix] = [n](const kernels::cpu::LaunchContext& context) {
      const auto* a = static_cast<const float*>(context.arguments[0]);
      const auto* b = static_cast<const float*>(context.arguments[1]);
      auto* out = static_cast<float*>(context.results[0]);
      for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
      return absl::OkStatus();
    };
    device.kernels["zeros" + suffix] = [n](const kernels::cpu::LaunchContext& context) {
      std::memset(context.results[0], 0, static_cast<size_t>(n) * sizeof(float));
      return absl::OkStatus();
    };
  }
  AddProcessKernels(device);
  device.kernels["heavy"] = device.kernels["add_one1024"];
  device.kernels["huge"] = [](const auto&) { return absl::OkStatus(); };
  device.kernels["fail"] = [](const auto&) { return absl::InternalError("library call failed"); };
  device.kernels["spin"] = [](const kernels::cpu::LaunchContext& context) {
    const auto* cancelled =
        reinterpret_cast<const std::atomic<bool>*>(const_cast<const bool*>(context.interrupted));
    while (!cancelled->load()) std::this_thread::yield();
    return absl::CancelledError("told to stop");
  };
}

struct FakeEngineOptions {
  engine::EngineOptions engine;
  int devices = 1;
  int64_t memory_bytes = int64_t{64} << 20;
  int max_in_flight = 64;
  absl::optional<cache::RemoteTier::Options> remote_cache;
  std::function<absl::Status(const codegen::CodeGenerator&)> warm_up;
};

inline std::unique_ptr<engine::Engine> MakeFakeEngine(FakeCompiler& compiler,
                                                      const FakeEngineOptions& options = {}) {
  engine::EngineParts parts;
  for (int i = 0; i < options.devices; ++i) {
    auto device = std::make_unique<FakeDevice>(options.memory_bytes);
    AddFakeKernels(*device);
    parts.devices.push_back({std::move(device), std::make_unique<FakeCodeGenerator>()});
  }
  parts.compile = [&compiler](const ir::Module& module, absl::string_view,
                              absl::Span<const ir::TensorType> arguments,
                              const codegen::CodeGenerator&,
                              std::vector<compiler::CompileStep>* steps, const StopFlag& stop) {
    const auto begin = std::chrono::steady_clock::now();
    auto executable = FakeCompile(compiler, module, arguments);
    // Stopped meanwhile, as a compiler finds between two of its passes.
    if (!stop.Check().ok()) executable = stop.Check();
    steps->push_back({"fake", begin, std::chrono::steady_clock::now()});
    return executable;
  };
  parts.result_types = [](const ir::Module& module, absl::string_view,
                          absl::Span<const ir::TensorType> arguments) {
    return FakeResultTypes(module, arguments);
  };
  parts.process_signature = [](const ir::Module& module, absl::string_view) {
    return FakeProcessSignature(module);
  };
  // A fake program is the same on shards.
  parts.process_program = [&compiler](const ir::Module& module,
                                      absl::string_view) -> absl::StatusOr<ir::Module> {
    (void)compiler.may_end.Await();
    return module;
  };
  parts.verify = [](const ir::Module& module) {
    return module.name == "invalid" ? absl::InvalidArgumentError("main: x is not defined")
                                    : absl::OkStatus();
  };
  parts.fingerprint = [](const ir::Module& module, absl::string_view) {
    return DigestOf(module.name);
  };
  parts.build_id = "build-1";
  parts.max_in_flight = options.max_in_flight;
  parts.remote_cache = options.remote_cache;
  parts.warm_up = options.warm_up;
  return engine::MakeEngine(options.engine, std::move(parts));
}

inline ir::Literal Floats(std::vector<float> values) {
  return ir::Literal::FromValues<float>(F32({static_cast<int64_t>(values.size())}), values);
}

// Session calls that wait for their answer.
template <typename Result, typename Start>
Result Answer(Start start) {
  auto promise = std::make_shared<Promise<std::shared_ptr<Result>>>();
  const auto future = promise->future();
  start([promise](Result result) { promise->Set(std::make_shared<Result>(std::move(result))); });
  return **future.Await();
}

inline engine::ReadyResult Await(engine::Session& session, engine::Handle handle) {
  return Answer<engine::ReadyResult>([&](auto done) { session.Await(handle, done); });
}

inline engine::FetchResult FetchResultOf(engine::Session& session, engine::Handle handle) {
  return Answer<engine::FetchResult>([&](auto done) { session.Fetch(handle, done); });
}

inline std::vector<float> FetchFloats(engine::Session& session, engine::Handle handle) {
  const engine::FetchResult result = FetchResultOf(session, handle);
  EXPECT_TRUE(result.array.ok()) << result.array.status();
  if (!result.array.ok()) return {};
  std::vector<float> values(result.array->bytes.view.size() / sizeof(float));
  if (!values.empty()) {
    std::memcpy(values.data(), result.array->bytes.view.data(), result.array->bytes.view.size());
  }
  return values;
}

}  // namespace acceld::testing
