#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/nccl/nccl.h"

namespace acceld::hal::cuda {

// An NCCL communicator between some devices of this process: a rank on each. Collectives of any
// subset of the devices use it, as they send and receive; so one communicator, whose buffers may
// take hundreds of megabytes of each device, serves all groups of a program.
//
// If anything goes wrong, the communicator is broken for good: what runs on it ends with undefined
// results, and everything that uses it later fails. Others take its place
// (Communicators).
//
// Thread-safe. The destructor ends what runs on the communicator.
class Communicator {
 public:
  // Makes no calls of the library. `nccl` must outlive the object. Rank i is the device of
  // contexts[i]; each device stands once.
  Communicator(const Nccl& nccl, std::vector<std::shared_ptr<Context>> contexts);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int size() const { return static_cast<int>(ranks_.size()); }
  const Nccl& nccl() const { return nccl_; }

  // Creates a rank if it does not exist. Returns when all ranks exist, so all must be created at
  // the same time. The device's context must be current. While it waits, it calls `poll`, which may
  // break the communicator. After an error the communicator is broken. Calls of this function and
  // the next for one rank take place one after the other.
  absl::Status Join(int rank, const std::function<void()>& poll);
  // Calls `enqueue`, between ncclGroupStart and ncclGroupEnd, to enqueue work of a rank that has
  // joined, with the library's functions, and returns when the work is on its stream; that may take
  // until other ranks do the same. Otherwise as Join.
  absl::Status Enqueue(int rank, const std::function<Nccl::Result(Nccl::Comm)>& enqueue,
                       const std::function<void()>& poll);

  // Returns OK while the communicator works for a rank: neither is it broken, nor has the library
  // noticed an error since. If it has, breaks the communicator. For threads that wait for work.
  absl::Status Check(int rank);

  // Makes all work of the communicator end, and destroys all ranks. Only the first call has an
  // effect. `reason` must not be OK. Blocks until the devices have ended the work.
  void Break(const absl::Status& reason);
  // The reason with which the communicator was broken; OK if it was not.
  absl::Status broken() const;

 private:
  struct Rank {
    explicit Rank(std::shared_ptr<Context> of) : context(std::move(of)) {}

    const std::shared_ptr<Context> context;
    Mutex turn;   // held during Join and Enqueue
    Mutex mutex;  // held during a call of the library, none of which waits for other devices
    Nccl::Comm comm ABSL_GUARDED_BY(mutex) = nullptr;
  };

  absl::Status Create(Rank& rank, int number, const std::function<void()>& poll);
  absl::Status EnqueueGroup(Rank& rank,
                            const std::function<Nccl::Result(Nccl::Comm)>& enqueue) const;
  // Waits until the library has done what it was asked for last.
  absl::Status AwaitDone(Rank& rank, absl::string_view what, const std::function<void()>& poll);
  absl::StatusOr<Nccl::UniqueId> Id();

  const Nccl& nccl_;
  std::deque<Rank> ranks_;  // the number never changes
  mutable Mutex mutex_;
  absl::Status broken_ ABSL_GUARDED_BY(mutex_);
  bool has_id_ ABSL_GUARDED_BY(mutex_) = false;
  Nccl::UniqueId id_ ABSL_GUARDED_BY(mutex_) = {};
};

// The communicators of the devices that were opened together, which are kept for later launches.
// Thread-safe.
class Communicators {
 public:
  // At most so many are kept that no launch uses.
  static constexpr size_t kMaxUnused = 4;

  // `nccl` must outlive the object. If the library is not available, says why.
  explicit Communicators(const absl::StatusOr<Nccl>& nccl) : nccl_(nccl) {}

  // OK if the library is available.
  absl::Status available() const { return nccl_.status(); }
  // Returns the communicator of these devices, in this order: a new one if there is none that
  // works. Creates no ranks. May block while an unused one is destroyed.
  absl::StatusOr<std::shared_ptr<Communicator>> Of(
      const std::vector<std::shared_ptr<Context>>& contexts);

 private:
  struct Entry {
    std::vector<std::shared_ptr<Context>> contexts;
    std::shared_ptr<Communicator> communicator;
  };

  const absl::StatusOr<Nccl>& nccl_;
  Mutex mutex_;
  std::deque<Entry> entries_ ABSL_GUARDED_BY(mutex_);  // the most recently used one comes last
};

}  // namespace acceld::hal::cuda
