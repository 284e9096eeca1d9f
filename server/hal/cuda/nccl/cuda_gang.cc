#include "server/hal/cuda/nccl/cuda_gang.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::hal::cuda {

using State = CollectiveOrder::State;
using kernels::Collective;

// In the account of collectives, that of joining the communicator.
constexpr int64_t kJoining = -1;

CudaGang::CudaGang(std::shared_ptr<Communicators> communicators,
                   std::vector<std::shared_ptr<Context>> contexts)
    : communicators_(std::move(communicators)),
      contexts_(std::move(contexts)),
      by_rank_(contexts_),
      order_(static_cast<int>(contexts_.size())) {
  // Ranks are in the order of the devices, so that launches on the same devices in another order
  // share a communicator.
  std::sort(by_rank_.begin(), by_rank_.end(),
            [](const auto& a, const auto& b) { return a->device().ordinal < b->device().ordinal; });
  for (const auto& context : contexts_) {
    ranks_.push_back(
        static_cast<int>(std::find(by_rank_.begin(), by_rank_.end(), context) - by_rank_.begin()));
  }
}

void CudaGang::Abort(const absl::Status& reason) {
  ACCELD_CHECK(!reason.ok());
  const MutexLock lock(mutex_);
  SetFailure(reason);
}

void CudaGang::Finish(int participant) {
  const MutexLock lock(mutex_);
  order_.SetState(participant, State::kEnded);
  CheckDeadlock();
  UpdateStop();
}

Gang::Stats CudaGang::stats() const {
  return {.collectives = num_collectives_.load(std::memory_order_relaxed),
          .bytes = num_bytes_.load(std::memory_order_relaxed)};
}

absl::Status CudaGang::Begin(int participant) {
  const MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(Leave(participant));
  order_.SetState(participant, State::kEnqueuing);
  begun_.NotifyAll();
  return absl::OkStatus();
}

absl::StatusOr<bool> CudaGang::AwaitBegin(int participant) {
  const Clock::time_point until = Clock::now() + std::chrono::milliseconds(2);
  const MutexLock lock(mutex_);
  while (true) {
    ACCELD_RETURN_IF_ERROR(Leave(participant));
    if (!order_.IsAnyComing()) return true;
    if (!begun_.WaitUntil(mutex_, until)) return false;
  }
}

void CudaGang::BeginWait(int participant) {
  const MutexLock lock(mutex_);
  order_.SetState(participant, State::kWaiting);
  CheckDeadlock();
}

absl::Status CudaGang::EndWait(int participant) {
  const MutexLock lock(mutex_);
  order_.SetState(participant, State::kEnqueuing);
  return Leave(participant);
}

absl::Status CudaGang::Leave(int participant) {
  CheckCommunicator();
  if (failure_.ok()) return absl::OkStatus();
  if (!IsBroken() && order_.IsAwaited(participant)) return absl::OkStatus();
  order_.SetState(participant, State::kEnded);
  UpdateStop();
  return failure_;
}

absl::StatusOr<std::shared_ptr<Communicator>> CudaGang::Join(int participant) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Communicator> communicator, communicators_->Of(by_rank_));
  const MutexLock lock(mutex_);
  // Another participant may have come first, and have taken one that was broken since.
  if (communicator_ == nullptr) communicator_ = std::move(communicator);
  ACCELD_RETURN_IF_ERROR(Leave(participant));
  Collective all{.kind = Collective::Kind::kAllGather, .groups = {{}}};
  for (int i = 0; i < size(); ++i) all.groups[0].push_back(i);
  order_.Enqueue(participant, kJoining, all,
                 Role{.memberships = {{.group = 0, .member = static_cast<size_t>(participant)}}});
  return communicator_;
}

absl::StatusOr<CudaGang::Turn> CudaGang::Enter(int participant, const Collective& collective,
                                               int64_t site) {
  Turn turn;
  ACCELD_ASSIGN_OR_RETURN(turn.role, RoleOf(collective, participant, size()));
  int64_t bytes = 0;
  for (const ir::TensorType& operand : collective.operands) bytes += operand.size_bytes();
  const MutexLock lock(mutex_);
  turn.communicator = communicator_;
  ACCELD_RETURN_IF_ERROR(Leave(participant));
  order_.Enqueue(participant, site, collective, turn.role);
  UpdateStop();
  num_collectives_.fetch_add(1, std::memory_order_relaxed);
  num_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return turn;
}

void CudaGang::EndEnqueuing(int participant, const absl::Status& status) {
  if (!status.ok()) Fail(participant, status);
  const MutexLock lock(mutex_);
  order_.SetState(participant, State::kEnded);
  begun_.NotifyAll();
  CheckDeadlock();
  UpdateStop();
}

void CudaGang::Poll(int participant) {
  std::shared_ptr<Communicator> communicator;
  {
    const MutexLock lock(mutex_);
    communicator = communicator_;
  }
  if (communicator == nullptr) return;
  // If an error is found, the communicator is broken now.
  (void)communicator->Check(RankOf(participant));
  absl::Status reason;
  {
    const MutexLock lock(mutex_);
    CheckCommunicator();
    if (MustBreak()) {
      // Launches behind this one see this reason.
      reason = absl::AbortedError(
          absl::StrCat("a launch before this one ended early: ", failure_.message()));
    }
  }
  if (!reason.ok()) communicator->Break(reason);
  const MutexLock lock(mutex_);
  UpdateStop();
}

absl::Status CudaGang::End(int participant, absl::Status status) {
  {
    const MutexLock lock(mutex_);
    if (status.ok()) CheckCommunicator();
    if (!failure_.ok()) {
      status = failure_;
    } else if (!status.ok()) {
      has_lost_run_ = order_.state(participant) == State::kEnded;
    }
  }
  if (status.ok()) {
    Finish(participant);
  } else {
    EndEnqueuing(participant, status);
  }
  Poll(participant);
  return status;
}

void CudaGang::SetFailure(const absl::Status& reason) {
  if (!failure_.ok()) return;
  failure_ = reason;
  failed_at_ = Clock::now();
  begun_.NotifyAll();
  UpdateStop();
}

void CudaGang::CheckCommunicator() {
  if (!IsBroken()) return;
  SetFailure(Annotate(communicator_->broken(), "the exchange of values between GPUs failed"));
}

void CudaGang::CheckDeadlock() {
  if (!failure_.ok() || !order_.IsDeadlocked()) return;
  is_deadlocked_ = true;
  SetFailure(absl::InternalError(order_.DeadlockText()));
}

bool CudaGang::MustBreak() const {
  if (failure_.ok()) return false;
  if (is_deadlocked_ || has_lost_run_ || IsAnyDeviceLost() || order_.IsAnyAwaited(State::kEnded))
    return true;
  return Clock::now() - failed_at_ > kGrace && order_.IsAnyAwaited();
}

bool CudaGang::IsAnyDeviceLost() const {
  return std::any_of(contexts_.begin(), contexts_.end(),
                     [](const auto& context) { return !context->lost().ok(); });
}

void CudaGang::UpdateStop() {
  if (failure_.ok()) return;
  if (IsBroken() || !order_.IsAnyAwaited()) stops_kernels_.store(true);
}

}  // namespace acceld::hal::cuda
