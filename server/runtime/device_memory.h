#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "common/mutex.h"
#include "common/percent.h"
#include "common/status.h"
#include "server/hal/device.h"
#include "server/observability/instruments/counter.h"
#include "server/runtime/array.h"
#include "server/runtime/host_memory.h"
#include "server/runtime/resident_arrays.h"

namespace acceld::runtime {

// What is done when a device is short of memory: executables that nobody uses are unloaded, then
// arrays are spilled to the host. (The device itself gives up its cached blocks before it refuses.)
// One owner may have all of the device while others leave it; for those who want their share then,
// some of the host's memory is reserved. Who waits for running work, and for how long, is the
// executor's affair.
//
// Thread-safe. Device and stream outlive it.
class DeviceMemory {
 public:
  using Victims = ResidentArrays::Victims;

  struct Options {
    // Shared by all devices; nullptr: nothing is spilled.
    std::shared_ptr<HostMemory> host;
    // Unloads executables until about so many bytes of the device are free; returns how many were.
    // May be empty.
    std::function<int64_t(int64_t size_bytes)> unload_executables;
    // Of the device, what one owner of arrays can have back from others who have more.
    int share_percent = 25;
  };
  struct Stats {
    uint64_t spills = 0, restores = 0;
  };

  // `to_host` makes the copies of what is spilled.
  DeviceMemory(hal::Device& device, int index, hal::Stream& to_host, Options options)
      : device_(device), index_(index), to_host_(to_host), options_(std::move(options)) {}

  // Where arrays of this device are noted.
  const std::shared_ptr<ResidentArrays>& residents() const { return residents_; }

  // Frees memory so that `size_bytes` may fit for an owner, and says whether any was freed. Blocks
  // while arrays are copied to the host, and while another thread is at it.
  bool MakeRoom(int64_t size_bytes, Victims victims, const Meter* owner);
  // Who holds how much now, and has a right to more.
  MemoryShares Shares() const {
    return residents_->Shares(PercentOf(device_.memory().limit_bytes, options_.share_percent));
  }
  // The device's refusal, with what stood in the way of making room.
  absl::Status Explain(const absl::Status& refusal) const;

  void CountRestore() { restores_.Add(); }
  Stats stats() const { return {.spills = spills_.value(), .restores = restores_.value()}; }

 private:
  bool MakeRoomAlone(int64_t size_bytes, Victims victims, const Meter* owner);
  bool Spill(const ResidentArrays::Need& need, Victims victims, const MemoryShares& shares);

  hal::Device& device_;
  const int index_;
  hal::Stream& to_host_;
  const Options options_;
  const std::shared_ptr<ResidentArrays> residents_ = std::make_shared<ResidentArrays>();
  observability::Counter spills_, restores_;

  Mutex mutex_;
  CondVar turn_;
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;  // A thread is making room.
};

}  // namespace acceld::runtime
