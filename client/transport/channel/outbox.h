#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "acceld/v1/acceld.pb.h"
#include "common/status.h"
#include "common/threads/mutex.h"

namespace acceld::client {

// Commands on their way out: appended by any thread, taken in batches by whoever writes them.
//
// The daemon's window bounds the commands that were appended but not credited. When it is full (or
// kMaxPendingBytes wait to be sent) an append blocks, unless told not to. Releases are kept apart
// and join the end of the last batch in the queue when it is full or sent: they never block, and
// never overtake a command that was appended before them. A few of them wait for up to
// kReleaseLinger for a batch to join, so that a caller who asks one thing after the other wakes
// nobody up for them.
//
// Until they are credited, commands may have to be sent once more, on another stream: Retain keeps
// them, Resume puts those that did not arrive to the front.
class CommandOutbox {
 public:
  static constexpr size_t kMaxBatchCommands = 2048;
  static constexpr size_t kMaxBatchBytes = size_t{1} << 20;
  static constexpr size_t kMaxPendingBytes = size_t{32} << 20;
  // One command is one message at most: the daemon's default limit, less some room.
  static constexpr size_t kMaxCommandBytes = (size_t{64} << 20) - 4096;
  static constexpr std::chrono::milliseconds kReleaseLinger{1};
  static constexpr size_t kManyReleases = 256;

  enum class WhenFull { kBlock, kGrow };
  // Shared with the writer while it writes.
  using SharedBatch = std::shared_ptr<const v1::CommandBatch>;

  explicit CommandOutbox(uint64_t window) : window_(window) {}

  // Appends a command and returns its number (1, 2, ...), to be compared with credits. The command
  // may have been sent by then.
  absl::StatusOr<uint64_t> Append(v1::Command command, WhenFull when_full);
  absl::Status AppendExecute(uint64_t program_id, absl::Span<const uint64_t> inputs,
                             absl::Span<const uint64_t> outputs, uint32_t device,
                             absl::Span<const uint32_t> donated, WhenFull when_full);
  void Release(uint64_t handle);

  // What the window lets out, or nullptr.
  SharedBatch Take();
  enum class Wakeup {
    kWork,      // There may be something to Take.
    kReleases,  // The same, but only releases that have waited for long enough.
    kTaken,     // There was, but somebody else was quicker.
    kTime,      // The deadline has passed.
    kEnd,       // The outbox has failed.
  };
  // Blocks until there is something to do or to know. For the one writing thread.
  Wakeup WaitForWork(std::chrono::steady_clock::time_point deadline);
  // Whether there is something to Take.
  bool HasWork() const;
  // When lazy, an append does not wake the writing thread unless many commands have gathered:
  // others are expected to take soon.
  void SetLazy(bool lazy);

  // Whether an append or a WaitCredited blocks.
  bool IsBlocked() const;

  void SetWindow(uint64_t window);
  void Credit(uint64_t commands);
  // Blocks until the daemon has taken in command `number`.
  absl::Status WaitCredited(uint64_t number);

  // From now on commands are kept until they are credited.
  void Retain();
  // The daemon has taken in `commands_taken` commands; the others go to the next Take again.
  void Resume(uint64_t commands_taken);

  // Every blocked and later call gives `reason`. The first reason stays.
  void Fail(const absl::Status& reason);
  absl::Status status() const;

 private:
  struct Batch {
    // For a first command of so many bytes, or for releases alone.
    explicit Batch(size_t first_bytes = 0);
    bool Takes(size_t size_bytes, size_t max_commands) const;

    bool on_arena;  // Then it is for small commands.
    std::shared_ptr<v1::CommandBatch> message;
    size_t size_bytes = 0;

    size_t commands() const { return static_cast<size_t>(message->commands_size()); }
  };

  // Waits for room and opens a slot for a command of `size_bytes`.
  absl::StatusOr<v1::Command*> Slot(size_t size_bytes, WhenFull when_full)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Puts the releases so far to the end of `batch`, the last one.
  void AddReleases(Batch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool CanSend() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the writing thread should not wait any longer.
  bool IsPressing() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WakeWriter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropCredited() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  CondVar room_, work_, credited_changed_;
  std::deque<Batch> queue_ ABSL_GUARDED_BY(mutex_);
  std::deque<Batch> retained_ ABSL_GUARDED_BY(mutex_);  // Sent; the last one ends at sent_.
  std::vector<uint64_t> releases_ ABSL_GUARDED_BY(mutex_);
  uint64_t window_ ABSL_GUARDED_BY(mutex_);
  // Commands so far. Appended commands are numbered when they are queued; releases when they join
  // the last batch of the queue, so numbers are in order of sending.
  uint64_t appended_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t sent_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t credited_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t retained_commands_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t pending_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int blocked_ ABSL_GUARDED_BY(mutex_) = 0;
  int waiting_for_credit_ ABSL_GUARDED_BY(mutex_) = 0;
  bool retain_ ABSL_GUARDED_BY(mutex_) = false;
  bool lazy_ ABSL_GUARDED_BY(mutex_) = false;
  bool writer_waits_ ABSL_GUARDED_BY(mutex_) = false;
  bool writer_ticks_ ABSL_GUARDED_BY(mutex_) = false;  // It looks for releases by itself.
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client
