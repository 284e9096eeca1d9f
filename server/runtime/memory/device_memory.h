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

// Frees memory of a device that is short of it: first unloads executables that nobody uses, then
// spills arrays to the host. (The device itself gives up its cached blocks before it refuses an
// allocation.) One owner may fill the device as long as others leave it room; some host memory is
// reserved for evicting its arrays when another owner claims its share. Waiting for running work is
// up to the executor.
//
// Thread-safe. Device and stream must outlive this object.
class DeviceMemory {
 public:
  using Victims = ResidentArrays::Victims;

  struct Options {
    // The host memory for spilled arrays, shared by all devices; nullptr: nothing is spilled.
    std::shared_ptr<HostMemory> host;
    // Unloads executables until about `size_bytes` of the device have been freed; returns how many
    // bytes were. May be empty.
    std::function<int64_t(int64_t size_bytes)> unload_executables;
    // Called on any thread when arrays have been spilled; may be empty.
    std::function<void()> on_spilled;
    // The percentage of the device's memory that an owner of arrays can claim from owners that have
    // more.
    int share_percent = 25;
  };
  struct Stats {
    uint64_t spills = 0, restores = 0;
  };

  // `to_host` makes the copies of spilled arrays.
  DeviceMemory(hal::Device& device, int index, hal::Stream& to_host, Options options)
      : device_(device), index_(index), to_host_(to_host), options_(std::move(options)) {}
  ~DeviceMemory();  // waits for copies in progress
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // The list of the device's arrays.
  const std::shared_ptr<ResidentArrays>& residents() const { return residents_; }

  // The result of MakeRoom.
  enum class Room : uint8_t {
    kFreed,  // some memory has been freed
    // Arrays are being copied to the host; Options.on_spilled is called when that ends.
    kInProgress,
    // None of the arrays inspected can be spilled; the next call inspects others.
    kContinue,
    kNone,  // nothing can be freed
  };
  // The state of the calls of MakeRoom for one need.
  struct Search {
    // The device's counts of spills and of batches when a spill last freed memory.
    uint64_t spills = UINT64_MAX, batches = 0;
    // The number of unsuccessful searches since then, by Victims.
    std::array<uint64_t, 2> failed_searches{};
  };
  // Frees memory for an owner, or begins to, so that `size_bytes` may fit. Frees only a part at a
  // time, so that other copies to the host are not delayed for long. Does not block. If the need is
  // never met, a call eventually returns kNone, however many arrays there are and whether or not
  // their copies succeed.
  Room MakeRoom(int64_t size_bytes, Victims victims, const Meter* owner, Search& search);
  // Whether a thread is freeing memory or copies to the host are in progress.
  bool is_spilling() const { return is_spilling_.load(); }
  // Returns how much memory each owner holds now, and who has a right to more.
  MemoryShares Shares() const {
    return residents_->Shares(PercentOf(device_.memory().limit_bytes, options_.share_percent));
  }
  // Adds to the device's refusal what prevented freeing more memory.
  absl::Status Explain(const absl::Status& refusal) const;

  // Counts an array that is restored to the device.
  void CountRestore() { restores_.Add(); }
  Stats stats() const { return {.spills = spills_.value(), .restores = restores_.value()}; }

 private:
  // Arrays that are spilled together.
  struct Batch;

  // Returns whether spilling should be tried: false after many batches in a row that have freed
  // nothing.
  bool SpillsHelp(Victims victims, Search& search) const;
  // Begins to copy arrays to the host. Returns whether there were any.
  bool BeginSpill(const ResidentArrays::Need& need, Victims victims, const MemoryShares& shares);
  void EndSpill(Batch& batch);

  hal::Device& device_;
  const int index_;
  hal::Stream& to_host_;
  const Options options_;
  const std::shared_ptr<ResidentArrays> residents_ = std::make_shared<ResidentArrays>();
  observability::Counter spills_, restores_, batches_ended_;

  // Set by the thread that frees memory, and cleared when all its copies have ended.
  std::atomic<bool> is_spilling_{false};
  Mutex mutex_;
  CondVar batch_ended_;
  // Batches with copies that have not ended.
  int batches_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::runtime
