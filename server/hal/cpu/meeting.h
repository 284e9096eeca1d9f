#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "kernels/ir/collective.h"
#include "server/hal/collective_role.h"
#include "server/hal/cpu/cpu_collectives.h"

namespace acceld::hal::cpu {

// One execution of a collective by one group of participants of a gang. The members come one after
// the other; when all are there, the meeting is complete, and those of them that are awake do the
// work together; when the work is done, all members go on. Until then a member must not leave a
// complete meeting, as others use its buffers. It may leave an open one if the gang has failed,
// because none becomes complete afterwards.
//
// Functions marked (gang) are called under the mutex of the gang. The others are thread-safe.
class Meeting {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  enum class State : uint8_t { kOpen, kComplete, kDone };

  // `collective` belongs to the member that comes first, and is read until the meeting is complete.
  Meeting(const kernels::Collective& collective, int64_t site, int64_t group)
      : collective_(collective), site_(site), group_(group) {
    for (const int64_t number : MembersOf(collective, group)) {
      participants_.push_back(static_cast<int>(number));
    }
    buffers_.resize(participants_.size());
    num_missing_ = participants_.size();
  }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  // The numbers of the members, in their order.
  absl::Span<const int> participants() const { return participants_; }
  State state() const { return state_.load(std::memory_order_acquire); }
  // Whether the members that sleep are to be woken for the work, as there is much of it. Otherwise
  // the member that comes last does it, with those that are awake. For complete meetings.
  bool is_shared() const { return is_shared_; }
  // When the last member came. For complete meetings.
  TimePoint completed_at() const { return completed_at_; }
  // Whether there is work that nobody has begun.
  bool HasWork() const {
    return state() == State::kComplete &&
           next_piece_.load(std::memory_order_relaxed) < work_->num_pieces();
  }

  // (gang) Whether this is where members of the group meet at the step.
  bool IsAt(int64_t site, int64_t group) const { return site_ == site && group_ == group; }
  // (gang) Whether a member has come to the same collective as those before it. If not, it must not
  // join.
  bool IsFor(const kernels::Collective& collective) const {
    return &collective_ == &collective || collective_ == collective;
  }
  // (gang) Adds a member, by its index, which has come `now`. Returns true if it was the last one.
  // The meeting is then complete, or done if there is no work.
  bool Join(size_t member, const MemberBuffers& buffers, TimePoint now) {
    buffers_[member] = buffers;
    if (--num_missing_ > 0) return false;
    work_.emplace(collective_, buffers_);
    is_shared_ = participants_.size() > 1 && work_->num_bytes() > kSharedBytes;
    num_unfinished_ = work_->num_pieces();
    completed_at_ = now;
    state_.store(work_->num_pieces() == 0 ? State::kDone : State::kComplete,
                 std::memory_order_release);
    return true;
  }

  // Begins a piece of work; returns false if there is none left. The caller then calls EndPiece.
  bool BeginPiece(int64_t& piece) {
    if (!HasWork()) return false;
    piece = next_piece_.fetch_add(1, std::memory_order_relaxed);
    return piece < work_->num_pieces();
  }
  void DoPiece(int64_t piece) const { work_->Run(piece); }
  // Ends a piece. Returns true if it was the last one, and the meeting is therefore done: the
  // caller then wakes the others.
  bool EndPiece() {
    if (num_unfinished_.fetch_sub(1, std::memory_order_acq_rel) > 1) return false;
    state_.store(State::kDone, std::memory_order_release);
    return true;
  }

 private:
  // Waking a thread takes as long as reading and writing about this many bytes.
  static constexpr int64_t kSharedBytes = int64_t{128} << 10;

  const kernels::Collective& collective_;
  const int64_t site_, group_;
  absl::InlinedVector<int, 8> participants_;
  absl::InlinedVector<MemberBuffers, 8> buffers_;
  size_t num_missing_;
  // Written when the meeting becomes complete.
  absl::optional<CollectiveWork> work_;
  bool is_shared_ = false;
  TimePoint completed_at_;
  std::atomic<State> state_{State::kOpen};
  std::atomic<int64_t> next_piece_{0};
  std::atomic<int64_t> num_unfinished_{0};  // pieces
};

}  // namespace acceld::hal::cpu
