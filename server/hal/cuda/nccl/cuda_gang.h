#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "kernels/ir/collective.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/nccl/collective_order.h"
#include "server/hal/cuda/nccl/communicator.h"
#include "server/hal/gang.h"

namespace acceld::hal::cuda {

// A gang whose participants run on GPUs and exchange values by NCCL. Each participant enqueues its
// collectives from a thread of its own (that of its stream), since the library may wait there for
// other devices; the devices wait for each other while they execute them.
//
// When a launch ends early, it ends without breaking the communicator if possible, as launches
// behind it use it, too: participants leave where nobody waits for them, that is, where no other
// has enqueued a collective that they have not. Kernels that poll for cancellation are told to end
// only when nobody waits for any participant, since garbage in a loop's predicate could make
// participants enqueue different collectives. The communicator is broken if a participant that
// others wait for has ended or takes longer than kGrace, or if a device is lost; what else runs on
// it fails then. The next launch gets a new one.
//
// If no participant can go on because each waits for another, the launch fails with INTERNAL and
// the message of CollectiveOrder::DeadlockText, and the communicator is broken.
//
// Stats::wait_ns is 0: the host does not see how long devices wait. Thread-safe.
class CudaGang final : public Gang {
 public:
  // How long the others of a launch that has failed wait for a participant.
  static constexpr std::chrono::milliseconds kGrace{1000};

  // Participant i runs on the device of contexts[i].
  CudaGang(std::shared_ptr<Communicators> communicators,
           std::vector<std::shared_ptr<Context>> contexts);

  int size() const override { return static_cast<int>(contexts_.size()); }
  void Abort(const absl::Status& reason) override;
  void Finish(int participant) override;
  Stats stats() const override;

  // For the thread of a participant's stream:
  //
  // Notes that the run begins. Returns an error if the launch has failed and the run need not
  // begin.
  absl::Status Begin(int participant);
  // Notes that the run waits for its stream, or that it goes on. The second returns an error if the
  // launch has failed and the run must end here.
  void BeginWait(int participant);
  absl::Status EndWait(int participant);
  // Blocks until all participants have begun, or for some milliseconds: returns false then, and is
  // to be called again after a Poll. Before that, no run enqueues a collective, which work of a
  // later launch could match if a participant of this one never came. Returns an error if the
  // launch has failed and the run must end here.
  absl::StatusOr<bool> AwaitBegin(int participant);
  // Notes that the run joins the communicator, which it then must do, or break the communicator.
  // All participants of a program with collectives do so before the first of them, as a
  // communicator needs all of its ranks, and not every participant is a member of every collective.
  absl::StatusOr<std::shared_ptr<Communicator>> Join(int participant);
  // What a participant that has joined needs to enqueue a collective.
  struct Turn {
    Role role;
    std::shared_ptr<Communicator> communicator;
  };
  // Notes that the run enqueues a collective, step number `site` of the program, which it then must
  // do, or break the communicator. Returns an error if the launch has failed and the run must end
  // here.
  absl::StatusOr<Turn> Enter(int participant, const kernels::Collective& collective, int64_t site);
  // Notes that the run enqueues nothing more. `status` is OK, one of the errors above, or another
  // one.
  void EndEnqueuing(int participant, const absl::Status& status);
  // The rank of a participant in the communicator.
  int RankOf(int64_t participant) const { return ranks_[static_cast<size_t>(participant)]; }

  // For threads that wait for a participant's run, or for the library: to be called at short
  // intervals. Notices errors, and breaks the communicator where that is necessary; this may block
  // until the devices have ended the work.
  void Poll(int participant);
  // Becomes true when kernels of a launch that has failed are to end.
  const std::atomic<bool>& stops_kernels() const { return stops_kernels_; }
  // Notes that the run has ended on the device, with `status`, and returns with which status it
  // ends: an error if the launch has failed.
  absl::Status End(int participant, absl::Status status);

 private:
  using Clock = std::chrono::steady_clock;

  void SetFailure(const absl::Status& reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Fails the launch if its communicator is broken: what it has computed since is undefined.
  void CheckCommunicator() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsBroken() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return communicator_ != nullptr && !communicator_->broken().ok();
  }
  // Returns the failure, and notes that the participant enqueues nothing more, if it may leave.
  absl::Status Leave(int participant) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CheckDeadlock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MustBreak() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void UpdateStop() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsAnyDeviceLost() const;

  const std::shared_ptr<Communicators> communicators_;
  const std::vector<std::shared_ptr<Context>> contexts_;  // by participant
  std::vector<std::shared_ptr<Context>> by_rank_;
  std::vector<int> ranks_;  // by participant
  std::atomic<int64_t> num_collectives_{0}, num_bytes_{0};
  std::atomic<bool> stops_kernels_{false};
  mutable Mutex mutex_;
  CondVar begun_;  // signaled when a participant begins or ends, and when the launch fails
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point failed_at_ ABSL_GUARDED_BY(mutex_);
  CollectiveOrder order_ ABSL_GUARDED_BY(mutex_);
  // Taken when the first participant joins.
  std::shared_ptr<Communicator> communicator_ ABSL_GUARDED_BY(mutex_);
  bool is_deadlocked_ ABSL_GUARDED_BY(mutex_) = false;
  bool has_lost_run_ ABSL_GUARDED_BY(mutex_) = false;  // a run has failed on its device
};

}  // namespace acceld::hal::cuda
