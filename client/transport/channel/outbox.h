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

// The queue of outgoing commands of a session. Any thread may append; the thread that writes takes
// the commands in batches. Thread-safe.
//
// Flow control: at most the daemon's window of commands may be appended beyond those that the
// daemon has credited (acknowledged). While the window is full, or kMaxPendingBytes are queued, an
// append blocks, unless called with WhenFull::kGrow.
//
// Releases of handles are collected separately, and added at the end of the last queued batch when
// that batch is full or taken. So they never block, and never overtake a command that was appended
// before them. If no batch is queued, up to kManyReleases of them wait for up to kReleaseLinger for
// one, so that a caller that makes one request after the other does not wake the writer thread for
// its releases.
//
// Retransmission: if the session can be resumed on another stream, Retain makes the outbox keep
// commands until they are credited, and Resume queues those again that the daemon has not received.
class CommandOutbox {
 public:
  static constexpr size_t kMaxBatchCommands = 2048;
  static constexpr size_t kMaxBatchBytes = size_t{1} << 20;
  static constexpr size_t kMaxPendingBytes = size_t{32} << 20;
  // A command must fit into one message: the daemon's default limit, less some overhead.
  static constexpr size_t kMaxCommandBytes = (size_t{64} << 20) - 4096;
  static constexpr std::chrono::milliseconds kReleaseLinger{1};
  static constexpr size_t kManyReleases = 256;

  // What an append does when the outbox is full.
  enum class WhenFull { kBlock, kGrow };
  // Shared between the outbox and the thread that writes it.
  using SharedBatch = std::shared_ptr<const v1::CommandBatch>;

  explicit CommandOutbox(uint64_t window) : window_(window) {}

  // Appends a command and returns its number (1, 2, ...), to be compared with credits. The command
  // may have been sent by then.
  absl::StatusOr<uint64_t> Append(v1::Command command, WhenFull when_full);
  absl::Status AppendExecute(uint64_t program_id, absl::Span<const uint64_t> inputs,
                             absl::Span<const uint64_t> outputs, uint32_t device,
                             absl::Span<const uint32_t> donated, WhenFull when_full);
  // Appends the release of a handle. Never blocks.
  void Release(uint64_t handle);

  // Returns the next batch that the window allows to send, or nullptr. The caller must send it.
  SharedBatch Take();
  // Why WaitForWork has returned.
  enum class Wakeup {
    kWork,      // Take may return a batch.
    kReleases,  // Take may return releases that have waited long enough.
    kTaken,     // Another thread has taken the work.
    kAppended,  // In lazy mode: something was appended, which another thread may soon take.
    kTime,      // The deadline has passed.
    kEnd,       // The outbox has failed.
  };
  // Blocks until there is work, `deadline` passes or the outbox fails. In lazy mode only
  // Until::kAppend also returns when something is appended, however little. Only for the writer
  // thread.
  enum class Until : bool { kWork, kAppend };
  Wakeup WaitForWork(std::chrono::steady_clock::time_point deadline, Until until = Until::kWork);
  // Returns whether Take would return a batch.
  bool HasWork() const;
  // In lazy mode an append does not wake the writer thread, unless many commands have accumulated,
  // because other threads are expected to call Take soon.
  void SetLazy(bool lazy);

  // Returns whether a thread is blocked in an append or in WaitCredited.
  bool IsBlocked() const;

  // Sets the daemon's window.
  void SetWindow(uint64_t window);
  // Records that the daemon has credited this many more commands.
  void Credit(uint64_t commands);
  // Blocks until the daemon has credited command `number`. Returns the status of the outbox.
  absl::Status WaitCredited(uint64_t number);

  // Makes the outbox keep commands, from now on, until they are credited.
  void Retain();
  // Prepares for a new stream: the daemon has received the first `commands_taken` commands; Take
  // returns the others again.
  void Resume(uint64_t commands_taken);

  // Makes every blocked and later call fail with `reason`. Only the first call has an effect.
  void Fail(const absl::Status& reason);
  // Returns OK, or the reason given to Fail.
  absl::Status status() const;

 private:
  // A batch and its size.
  struct Batch {
    // Prepares a batch whose first command has `first_bytes`; 0 if it will contain only releases.
    explicit Batch(size_t first_bytes = 0);
    // Returns whether another command of `size_bytes` may be added.
    bool Takes(size_t size_bytes, size_t max_commands) const;

    bool on_arena;  // If true, the batch takes only small commands.
    std::shared_ptr<v1::CommandBatch> message;
    size_t size_bytes = 0;

    size_t commands() const { return static_cast<size_t>(message->commands_size()); }
  };

  // Waits for room and returns a new command of `size_bytes` in the last batch, to be filled in.
  absl::StatusOr<v1::Command*> Slot(size_t size_bytes, WhenFull when_full)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Appends the collected releases to `batch`, which must be the last one.
  void AddReleases(Batch& batch) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the window allows sending the first batch, or the releases.
  bool CanSend() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns whether the writer thread should stop waiting.
  bool IsPressing() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WakeWriter() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Drops the retained batches that are credited completely.
  void DropCredited() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  CondVar room_, work_, credited_changed_;
  std::deque<Batch> queue_ ABSL_GUARDED_BY(mutex_);
  // Batches that were sent; the last command in them has number sent_.
  std::deque<Batch> retained_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint64_t> releases_ ABSL_GUARDED_BY(mutex_);
  uint64_t window_ ABSL_GUARDED_BY(mutex_);
  // Counts of commands. A command is numbered when it is queued, and a release when it joins the
  // last batch of the queue, so the numbers follow the order of sending.
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
  // WaitForWork returns when something is appended.
  bool writer_awaits_append_ ABSL_GUARDED_BY(mutex_) = false;
  // WaitForWork wakes up by itself to look for releases.
  bool writer_ticks_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::client
