#include "server/hal/cpu/cpu_device.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "kernels/cpu/cpu_runtime.h"
#include "kernels/cpu/support/matmul/warm_up.h"
#include "server/hal/cpu/cpu_gang.h"
#include "server/hal/cpu/cpu_stream.h"
#include "server/hal/cpu/host_info.h"
#include "server/hal/cpu/host_memory.h"
#include "server/hal/cpu/idle_core_detector.h"
#include "server/hal/cpu/loaded_cpu_module.h"

namespace acceld::hal::cpu {
namespace {

// Freed memory that is kept for reuse takes at most this part (one in so many) of the budget.
constexpr int64_t kKeptMemoryDivisor = 4;
// Memory is prepared in pieces of this size, because a program that starts meanwhile may have to
// wait until a piece is finished.
constexpr int64_t kPreparedChunkBytes = int64_t{2} << 20;
// How often the load of a busy machine is read, which takes some tens of microseconds.
constexpr std::chrono::milliseconds kBusyPause{20};
constexpr std::chrono::milliseconds kLongestPause{100};

class CpuDevice final : public Device {
 public:
  CpuDevice(int ordinal, int num_threads, int64_t memory_bytes, int64_t prepared_bytes,
            std::shared_ptr<kernels::cpu::CpuRuntime> runtime)
      : ordinal_(ordinal),
        num_threads_(num_threads),
        runtime_(std::move(runtime)),
        pool_(CreateHostMemoryPool(memory_bytes, memory_bytes / kKeptMemoryDivisor)),
        warming_up_([this, prepared_bytes] { WarmUp(prepared_bytes); }) {}
  ~CpuDevice() override {
    closing_ = true;
    warming_up_.join();
  }

  std::string kind() const override { return "cpu"; }
  std::string name() const override { return name_; }
  absl::Status health() const override { return absl::OkStatus(); }
  MemoryStats memory() const override { return pool_->stats(); }
  absl::StatusOr<std::shared_ptr<Buffer>> Allocate(int64_t size_bytes) override {
    return pool_->Allocate(size_bytes);
  }
  LaunchCounts launches() const override { return {}; }
  void ReleaseUnusedMemory() override { pool_->ReleaseUnused(); }
  int concurrent_streams() const override { return 1; }
  std::unique_ptr<Stream> CreateStream(absl::string_view name,
                                       StreamPriority /*priority*/) override {
    return std::make_unique<CpuStream>(absl::StrCat("cpu", ordinal_, "-", name));
  }
  absl::StatusOr<std::shared_ptr<const Module>> Load(const Executable& executable) override {
    return LoadCpuModule(executable, *pool_, num_threads_, runtime_);
  }
  absl::StatusOr<std::shared_ptr<Gang>> CreateGang(absl::Span<Device* const> devices) override {
    if (devices.empty()) return absl::InvalidArgumentError("a launch on no devices");
    absl::flat_hash_set<const Device*> seen;
    for (const Device* device : devices) {
      if (device->kind() != kind()) {
        return absl::InvalidArgumentError(
            absl::StrCat("a launch on devices of kind ", kind(), " and ", device->kind()));
      }
      if (!seen.insert(device).second) {
        return absl::InvalidArgumentError("a launch with several participants on one device");
      }
    }
    return std::make_shared<CpuGang>(static_cast<int>(devices.size()));
  }

 private:
  // Does in advance what the first program would have to wait for: generates the code of the
  // library of matrix products, and prepares memory. Since the memory may never be used, it is
  // prepared only while a core is idle, and with pauses in between. A low thread priority is no
  // alternative, because the thread would then hold locks for long that other threads wait for.
  void WarmUp(int64_t prepared_bytes) {
    using Clock = std::chrono::steady_clock;
    kernels::cpu::WarmUpMatmuls();
    IdleCoreDetector cores;
    for (int64_t bytes = 0; bytes < prepared_bytes; bytes += kPreparedChunkBytes) {
      while (!cores.HasIdleCore() && !closing_) std::this_thread::sleep_for(kBusyPause);
      if (closing_) return;
      const Clock::time_point start = Clock::now();
      if (!pool_->Prepare(kPreparedChunkBytes).ok()) return;
      std::this_thread::sleep_for(
          std::min<Clock::duration>((Clock::now() - start) / 4, kLongestPause));
    }
  }

  const int ordinal_;
  const std::string name_ = ProcessorName();
  const int num_threads_;
  const std::shared_ptr<kernels::cpu::CpuRuntime> runtime_;  // shared with the other devices
  const std::shared_ptr<MemoryPool> pool_;                   // shared with the buffers
  std::atomic<bool> closing_{false};
  std::thread warming_up_;
};

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<Device>>> OpenCpuDevices(
    const CpuDeviceOptions& options) {
  if (options.num_devices < 1 || options.num_devices > 64) {
    return absl::InvalidArgumentError(
        absl::StrCat("CPU devices: ", options.num_devices, " is not between 1 and 64"));
  }
  if (options.threads_per_device < 0 || options.memory_bytes_per_device < 0 ||
      options.prepared_bytes_per_device < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("CPU devices: ", options.threads_per_device, " threads and ",
                     options.memory_bytes_per_device, " bytes a device, ",
                     options.prepared_bytes_per_device, " of them prepared"));
  }
  const int threads = options.threads_per_device > 0
                          ? options.threads_per_device
                          : std::max(1, AvailableCores() / options.num_devices);
  const int64_t memory = options.memory_bytes_per_device > 0
                             ? options.memory_bytes_per_device
                             : AvailableMemoryBytes() / 4 * 3 / options.num_devices;
  const auto runtime = std::make_shared<kernels::cpu::CpuRuntime>();
  std::vector<std::unique_ptr<Device>> devices;
  for (int i = 0; i < options.num_devices; ++i) {
    devices.push_back(std::make_unique<CpuDevice>(i, threads, memory,
                                                  options.prepared_bytes_per_device, runtime));
  }
  return devices;
}

}  // namespace acceld::hal::cpu
