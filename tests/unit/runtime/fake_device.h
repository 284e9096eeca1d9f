#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/threads/future.h"
#include "server/codegen/code_generator.h"
#include "server/hal/cpu/cpu_gang.h"
#include "server/hal/cpu/cpu_stream.h"
#include "server/hal/cpu/host_memory.h"
#include "server/hal/cpu/host_module.h"
#include "server/hal/device.h"
#include "server/hal/loaded_executable.h"

namespace acceld::testing {

using Kernel = std::function<absl::Status(const kernels::cpu::LaunchContext&)>;

// Code that is a C++ function, and constants that nobody reads.
class FakeModule final : public hal::cpu::HostModule {
 public:
  explicit FakeModule(Kernel kernel, std::shared_ptr<hal::Buffer> constants = nullptr)
      : kernel_(std::move(kernel)), constants_(std::move(constants)) {}
  int64_t size_bytes() const override { return 100 + device_bytes(); }
  int64_t device_bytes() const override {
    return constants_ == nullptr ? 0 : constants_->size_bytes();
  }
  absl::Status Run(kernels::cpu::LaunchContext context) const override { return kernel_(context); }

 private:
  const Kernel kernel_;
  const std::shared_ptr<hal::Buffer> constants_;
};

class FakeCodeGenerator final : public codegen::CodeGenerator {
 public:
  std::string architecture() const override { return "fake"; }
  bool SupportsMatmul(const kernels::MatmulStep&) const override { return false; }
  bool SupportsConvolution(const kernels::ConvolutionStep&) const override { return false; }
  int64_t ScratchBytesOf(const kernels::ConvolutionStep&) const override { return 0; }
  bool SupportsAttention(const kernels::AttentionShape&) const override { return false; }
  bool IsMatmulFast(const kernels::MatmulStep&) const override { return false; }
  bool ScalesCollectives() const override { return false; }
  int64_t min_alternating_bytes() const override { return codegen::kNeverAlternates; }
  int64_t parallel_units() const override { return 1; }
  int64_t threads_per_unit() const override { return 1; }
  absl::StatusOr<std::string> Generate(const kernels::Plan&, std::vector<Dump>*,
                                       const StopFlag*) const override {
    return absl::InternalError("fake devices run no generated code");
  }
};

// The CPU's, whose copies to the host are the test's affair.
class FakeStream final : public hal::Stream {
 public:
  // What a copy to the host is to wait for; it fails with an error of that.
  using BeforeCopy = std::function<Event()>;

  FakeStream(const std::string& name, const BeforeCopy& before_copy)
      : stream_(name), before_copy_(before_copy) {}

  void Wait(const Event& event) override { stream_.Wait(event); }
  Event Run(hal::Launch launch) override { return stream_.Run(std::move(launch)); }
  Event CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<hal::Buffer> to,
                     int64_t offset_bytes, std::shared_ptr<const void> keep_alive) override {
    return stream_.CopyFromHost(from, size_bytes, std::move(to), offset_bytes,
                                std::move(keep_alive));
  }
  Event CopyToHost(std::shared_ptr<hal::Buffer> from, void* to,
                   std::shared_ptr<void> keep_alive) override {
    if (before_copy_) {
      const Event before = before_copy_();
      if (before.IsReady() && !before.Await().ok()) return before;
      stream_.Wait(before);
    }
    return stream_.CopyToHost(std::move(from), to, std::move(keep_alive));
  }
  Event CopyFromPeer(std::shared_ptr<hal::Buffer> from, std::shared_ptr<hal::Buffer> to) override {
    return stream_.CopyFromPeer(std::move(from), std::move(to));
  }
  bool SetLowPriority(bool low_priority) override { return stream_.SetLowPriority(low_priority); }

 private:
  hal::cpu::CpuStream stream_;
  const BeforeCopy& before_copy_;
};

// The CPU's memory and streams with C++ functions for code: an executable's code is the name of one
// in `kernels`, which is filled before anything runs.
class FakeDevice final : public hal::Device {
 public:
  explicit FakeDevice(int64_t memory_bytes = int64_t{1} << 30)
      : pool_(hal::cpu::CreateHostMemoryPool(memory_bytes, memory_bytes / 4)) {}

  std::string kind() const override { return "fake"; }
  std::string name() const override { return "fake"; }
  absl::Status health() const override { return absl::OkStatus(); }
  hal::LaunchCounts launches() const override { return {}; }
  hal::MemoryStats memory() const override { return pool_->stats(); }
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Allocate(int64_t size_bytes) override {
    if (before_allocate) before_allocate();
    return pool_->Allocate(size_bytes);
  }
  int concurrent_streams() const override { return side_by_side; }
  void ReleaseUnusedMemory() override { pool_->ReleaseUnused(); }
  std::unique_ptr<hal::Stream> CreateStream(absl::string_view name,
                                            hal::StreamPriority /*priority*/) override {
    return std::make_unique<FakeStream>(std::string(name), before_copy_to_host);
  }
  absl::StatusOr<std::shared_ptr<const hal::Module>> Load(
      const hal::Executable& executable) override {
    loads.fetch_add(1);
    const auto it = kernels.find(executable.code);
    if (it == kernels.end()) return absl::DataLossError("no kernel named " + executable.code);
    std::shared_ptr<hal::Buffer> constants;
    if (!executable.constants.empty()) {
      ACCELD_ASSIGN_OR_RETURN(constants,
                              Allocate(static_cast<int64_t>(executable.constants.size())));
    }
    return std::make_shared<const FakeModule>(it->second, std::move(constants));
  }
  absl::StatusOr<std::shared_ptr<hal::Gang>> CreateGang(
      absl::Span<hal::Device* const> devices) override {
    return std::make_shared<hal::cpu::CpuGang>(static_cast<int>(devices.size()));
  }

  // With more than one, runs overlap as on a GPU.
  int side_by_side = 1;
  std::map<std::string, Kernel> kernels;
  std::atomic<int> loads{0};
  // May be empty. Set while nobody allocates, or copies.
  std::function<void()> before_allocate;
  FakeStream::BeforeCopy before_copy_to_host;

 private:
  const std::shared_ptr<hal::MemoryPool> pool_;
};

inline ir::TensorType F32(std::initializer_list<int64_t> dims) {
  return {ir::DType::kF32, ir::Dims(dims)};
}

// A loaded kernel on `arguments` f32 arrays of `elements` with one such result. Nobody knows how
// long it takes.
inline std::shared_ptr<const hal::LoadedExecutable> LoadedKernel(int arguments, int64_t elements,
                                                                 Kernel kernel,
                                                                 int64_t arena_bytes = 0) {
  auto executable = std::make_shared<hal::Executable>();
  executable->arguments.assign(static_cast<size_t>(arguments), F32({elements}));
  executable->results = {F32({elements})};
  executable->arena_bytes = arena_bytes;
  return std::make_shared<const hal::LoadedExecutable>(
      std::move(executable), std::make_shared<const FakeModule>(std::move(kernel)));
}

// One that always takes about `cost`.
inline std::shared_ptr<const hal::LoadedExecutable> SteadyKernel(int arguments, int64_t elements,
                                                                 std::chrono::nanoseconds cost,
                                                                 Kernel kernel,
                                                                 int64_t arena_bytes = 0) {
  auto executable = std::make_shared<hal::Executable>();
  executable->arena_bytes = arena_bytes;
  executable->arguments.assign(static_cast<size_t>(arguments), F32({elements}));
  executable->results = {F32({elements})};
  executable->steady = true;
  auto loaded = std::make_shared<const hal::LoadedExecutable>(
      std::move(executable), std::make_shared<const FakeModule>(std::move(kernel)));
  loaded->cost.Record(cost.count());
  loaded->cost_in_gang.Record(cost.count());
  return loaded;
}

}  // namespace acceld::testing
