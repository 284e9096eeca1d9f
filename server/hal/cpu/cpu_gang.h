#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "common/status.h"
#include "common/threads/busy_poll.h"
#include "common/threads/mutex.h"
#include "kernels/ir/collective.h"
#include "server/hal/cpu/bell.h"
#include "server/hal/cpu/cpu_collectives.h"
#include "server/hal/cpu/meeting.h"
#include "server/hal/gang.h"
#include "server/hal/run_control.h"

namespace acceld::hal::cpu {

// A gang whose participants run on CPU streams, each on a thread of its own, and exchange values
// through memory. No participant needs a thread besides its own to go on, and none holds a lock
// while it waits, so there may be more participants than cores. Launches that are so short that
// waking their threads would take longer can run on one thread instead, each as a fiber, which
// gives way to the others when it waits.
//
// If every participant that has not ended waits at a collective, and none of the collectives has
// all of its members, the launch can never end: it fails at once with INTERNAL and a message such
// as "deadlock: participants 0, 2 wait in all_reduce of tensor<8xf32> (step 5), participants 1, 3
// in all_gather of tensor<2x4xi32> (step 9)".
//
// Thread-safe.
class CpuGang final : public Gang {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CpuGang(int size);

  int size() const override { return static_cast<int>(seats_.size()); }
  void Abort(const absl::Status& reason) override;
  void Finish(int participant) override;
  Stats stats() const override;
  void RunInline() override;

  // A launch that its idle stream leaves to the gang.
  struct InlineLaunch {
    std::function<absl::Status()> run;
    std::function<void(const absl::Status&)> finish;  // to be called with the status of `run`
    std::function<void()> hand_over;                  // gives it to the stream's thread instead
  };
  // To be followed by RunInline, by the same thread.
  void AddInline(InlineLaunch launch);

  // Takes part in a collective for a participant, as kernels::cpu::CollectiveExchange::Run says.
  // Blocks until the participant has its results and its operands are not needed any more; for
  // kPermute this takes its source and its target only. While it waits, it obeys `control`
  // (nullptr: none) at once: it pauses, or it ends the launch of all participants with CANCELLED.
  // Returns the reason if the launch has ended. To be called by one thread at a time for each
  // participant, and not after Finish. If `complete_at` is not nullptr, it is set to when the last
  // member came, if that was later.
  absl::Status Exchange(int participant, RunControl* control, const kernels::Collective& collective,
                        int64_t site, const void* const* operands, void* const* results,
                        Clock::time_point* complete_at = nullptr);
  // How long a participant has waited for others in all. For the thread of the participant.
  std::chrono::nanoseconds waited(int participant) const {
    return seats_[static_cast<size_t>(participant)].waited;
  }

 private:
  // The meetings of one participant at one collective: one, but for kPermute up to two.
  using Meetings = absl::InlinedVector<std::shared_ptr<Meeting>, 2>;

  // Where a participant waits. `poll` and `waited` are used by the participant's thread only.
  struct alignas(64) Seat {
    Bell bell;
    BusyPoll poll{kPollWindow};
    std::chrono::nanoseconds waited{0};
  };
  // What a participant does, as far as the gang knows.
  struct Attendance {
    bool has_finished = false;
    // Its meetings that are not complete: it waits if there are any. The other fields say where.
    int num_open = 0;
    int64_t site = 0;
    const kernels::Collective* collective = nullptr;  // of the participant, while it waits
    Clock::time_point since;
  };

  // Waking a thread takes up to 50 us (helper_pool.cc), so a participant polls for this long before
  // it sleeps. It yields the core between two polls, so that with more participants than cores
  // those that others wait for get on.
  static constexpr std::chrono::microseconds kPollWindow{50};

  // Joins the meetings of `role`, and makes them if the participant is the first to come.
  Meetings Arrive(int participant, const Role& role, const kernels::Collective& collective,
                  int64_t site, const MemberBuffers& buffers);
  std::shared_ptr<Meeting> MeetingAt(int64_t site, int64_t group,
                                     const kernels::Collective& collective)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Lets the members of a meeting that has become complete go on.
  void Release(int participant, const Meeting& meeting, Clock::time_point now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the participant may leave the meetings.
  static bool AreOver(const Meetings& meetings, bool has_failed);
  // Works and waits until the meetings are over for the participant.
  absl::Status Attend(int participant, RunControl* control, const Meetings& meetings);
  // Does pieces of a meeting's work until none is left.
  void Work(int participant, RunControl* control, Meeting& meeting);
  // Blocks until there is something to do: work, the end of the meetings, a failure of the gang
  // that is not known yet (`knows_failure`), or a wish of the control.
  void Await(int participant, RunControl* control, const Meetings& meetings, bool knows_failure);
  // Pauses while the control wishes so; ends the launch if the run is to end.
  void Obey(int participant, RunControl* control);
  // Rings the bells of the members of a meeting except `participant`.
  void RingOthers(int participant, const Meeting& meeting);
  // Ends the launch, unless it has ended.
  void SetFailure(absl::Status reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends the launch if no participant can go on.
  void CheckDeadlock() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string DeadlockText() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::vector<Seat> seats_;  // by participant; the size never changes
  std::atomic<int64_t> num_collectives_{0}, num_bytes_{0}, wait_ns_{0};
  // Becomes true with failure_. No meeting becomes complete afterwards.
  std::atomic<bool> has_failed_{false};
  mutable Mutex mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::vector<Attendance> attendances_ ABSL_GUARDED_BY(mutex_);  // by participant
  // Participants that neither wait nor have finished.
  int num_running_ ABSL_GUARDED_BY(mutex_);
  absl::InlinedVector<std::shared_ptr<Meeting>, 8> open_ ABSL_GUARDED_BY(mutex_);
  std::vector<InlineLaunch> inline_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cpu
