#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "server/hal/device.h"

namespace acceld::testing {

// A device that notes how much of its memory was in use at most: pools count what was ever in use,
// by compiling and loading, too.
class CountingDevice final : public hal::Device {
 public:
  explicit CountingDevice(hal::Device& device) : device_(device) {}

  // From now on.
  void ResetPeak() { peak_bytes_ = device_.memory().used_bytes; }
  int64_t peak_bytes() const { return peak_bytes_; }

  std::string kind() const override { return device_.kind(); }
  std::string name() const override { return device_.name(); }
  hal::MemoryStats memory() const override { return device_.memory(); }
  absl::Status health() const override { return device_.health(); }
  hal::LaunchCounts launches() const override { return device_.launches(); }
  absl::StatusOr<std::shared_ptr<hal::Buffer>> Allocate(int64_t size_bytes) override {
    auto buffer = device_.Allocate(size_bytes);
    peak_bytes_ = std::max(peak_bytes_.load(), device_.memory().used_bytes);
    return buffer;
  }
  void ReleaseUnusedMemory() override { device_.ReleaseUnusedMemory(); }
  int concurrent_streams() const override { return device_.concurrent_streams(); }
  std::unique_ptr<hal::Stream> CreateStream(absl::string_view name,
                                            hal::StreamPriority priority) override {
    return device_.CreateStream(name, priority);
  }
  absl::StatusOr<std::shared_ptr<const hal::Module>> Load(
      const hal::Executable& executable) override {
    return device_.Load(executable);
  }
  absl::StatusOr<std::shared_ptr<hal::Gang>> CreateGang(
      absl::Span<hal::Device* const> devices) override {
    return device_.CreateGang(devices);
  }

 private:
  hal::Device& device_;
  std::atomic<int64_t> peak_bytes_{0};
};

}  // namespace acceld::testing
