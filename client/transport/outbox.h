#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/types/span.h"
#include "acceld/v1/acceld.pb.h"
#include "common/mutex.h"
#include "common/status.h"

namespace acceld::client {

// Commands on their way out: appended by any thread, taken in batches by the one writer thread.
//
// The daemon's window bounds the commands that were appended but not credited. When it is full (or
// kMaxPendingBytes wait to be sent) an append blocks, unless told not to. Releases are kept apart
// and join the end of the next batch that empties the queue: they never block, and never overtake a
// command that was appended before them.
class CommandOutbox {
 public:
  static constexpr size_t kMaxBatchCommands = 2048;
  static constexpr size_t kMaxBatchBytes = size_t{1} << 20;
  static constexpr size_t kMaxPendingBytes = size_t{32} << 20;
  // One command is one message at most: the daemon's default limit, less some room.
  static constexpr size_t kMaxCommandBytes = (size_t{64} << 20) - 4096;

  enum class WhenFull { kBlock, kGrow };

  explicit CommandOutbox(uint64_t window) : window_(window) {}

  // The number of the command (1, 2, ...), to be compared with credits.
  absl::StatusOr<uint64_t> Append(v1::Command command, WhenFull when_full);
  absl::Status AppendExecute(uint64_t program_id, absl::Span<const uint64_t> inputs,
                             absl::Span<const uint64_t> outputs, uint32_t device,
                             WhenFull when_full);
  void Release(uint64_t handle);

  // Blocks until there is something that the window lets out, and moves it into `batch` (cleared).
  // False once the outbox was interrupted or has failed.
  bool Take(v1::CommandBatch& batch);

  void SetWindow(uint64_t window);
  void Credit(uint64_t commands);
  // Blocks until the daemon has taken in command `number`.
  absl::Status WaitCredited(uint64_t number);

  // Ends Take; appends go on until Fail.
  void Interrupt();
  // Every blocked and later call gives `reason`. The first reason stays.
  void Fail(const absl::Status& reason);
  absl::Status status() const;

 private:
  // Waits for room and opens a slot for a command of `size_bytes`.
  absl::StatusOr<v1::Command*> Slot(size_t size_bytes, WhenFull when_full)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool CanSend() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WakeWriter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  struct Batch {
    v1::CommandBatch message;
    size_t size_bytes = 0;
  };

  mutable Mutex mutex_;
  CondVar room_, work_, credited_changed_;
  std::deque<Batch> queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> releases_ ABSL_GUARDED_BY(mutex_);
  uint64_t window_ ABSL_GUARDED_BY(mutex_);
  // Commands so far. Appended commands are numbered when they are queued; releases when they are
  // sent, at the end of the queue, so numbers are in order of sending.
  uint64_t appended_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t sent_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t credited_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t pending_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int blocked_ ABSL_GUARDED_BY(mutex_) = 0;
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
  bool writer_waits_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client
