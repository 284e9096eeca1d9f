#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "common/percent.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/observability/instruments/counter.h"
#include "server/runtime/array.h"
#include "server/runtime/memory/host_memory.h"
#include "server/runtime/memory/resident_arrays.h"

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
    // Called when arrays have been spilled, on any thread; may be empty.
    std::function<void()> on_spilled;
    // Of the device, what one owner of arrays can have back from others who have more.
    int share_percent = 25;
  };
  struct Stats {
    uint64_t spills = 0, restores = 0;
  };

  // `to_host` makes the copies of what is spilled.
  DeviceMemory(hal::Device& device, int index, hal::Stream& to_host, Options options)
      : device_(device), index_(index), to_host_(to_host), options_(std::move(options)) {}
  ~DeviceMemory();  // Waits for copies that have begun.
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Where arrays of this device are noted.
  const std::shared_ptr<ResidentArrays>& residents() const { return residents_; }

  enum class Room : uint8_t {
    kFreed,      // Some memory is free now that was not.
    kUnderWay,   // Arrays are on their way to the host: Options.on_spilled is called at their end.
    kElsewhere,  // Nothing of what was looked at gives way: the next call looks at others.
    kNone,       // Nothing gives way.
  };
  // What the calls for one need have found so far.
  struct Search {
    // The counts of the device when a spill last freed something.
    uint64_t spills = UINT64_MAX, batches = 0;
    // Looks in vain since, for each kind of victims.
    std::array<uint64_t, 2> looks{};
  };
  // Frees memory so that `size_bytes` may fit for an owner, or begins to: a part of it at a time,
  // so that nobody is kept from copies to the host for long. Blocks for nothing. A need that is
  // not met is answered with kNone in the end, however many arrays there are and whether or not
  // their copies succeed.
  Room MakeRoom(int64_t size_bytes, Victims victims, const Meter* owner, Search& search);
  bool is_spilling() const { return is_spilling_.load(); }
  // Who holds how much now, and has a right to more.
  MemoryShares Shares() const {
    return residents_->Shares(PercentOf(device_.memory().limit_bytes, options_.share_percent));
  }
  // The device's refusal, with what stood in the way of making room.
  absl::Status Explain(const absl::Status& refusal) const;

  void CountRestore() { restores_.Add(); }
  Stats stats() const { return {.spills = spills_.value(), .restores = restores_.value()}; }

 private:
  // Arrays that are spilled together.
  struct Batch;

  // Whether spills are worth trying: false when many in a row have freed nothing.
  bool SpillsHelp(Victims victims, Search& search) const;
  // Whether copies have begun.
  bool BeginSpill(const ResidentArrays::Need& need, Victims victims, const MemoryShares& shares);
  void EndSpill(Batch& batch);

  hal::Device& device_;
  const int index_;
  hal::Stream& to_host_;
  const Options options_;
  const std::shared_ptr<ResidentArrays> residents_ = std::make_shared<ResidentArrays>();
  observability::Counter spills_, restores_, batches_ended_;

  // Set by who is to make room, cleared when that has come to its end.
  std::atomic<bool> is_spilling_{false};
  Mutex mutex_;
  CondVar batch_ended_;
  int batches_ ABSL_GUARDED_BY(mutex_) = 0;  // whose copies have not all called back
};

}  // namespace acceld::runtime
