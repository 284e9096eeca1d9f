#include "server/hal/cuda/nccl/communicator.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/threads/start_thread.h"

namespace acceld::hal::cuda {
namespace {

// How long a thread polls the library without sleeping, and how long it sleeps then. The library
// starts a thread for each group, so that work is on its stream after some tens of microseconds.
constexpr std::chrono::microseconds kSpin{300}, kSleep{100};

}  // namespace

Communicator::Communicator(const Nccl& nccl, std::vector<std::shared_ptr<Context>> contexts)
    : nccl_(nccl) {
  for (std::shared_ptr<Context>& context : contexts) ranks_.emplace_back(std::move(context));
}

Communicator::~Communicator() {
  Break(absl::AbortedError("the communicator is not used any more"));
}

absl::StatusOr<Nccl::UniqueId> Communicator::Id() {
  const MutexLock lock(mutex_);
  if (!has_id_) {
    ACCELD_RETURN_IF_ERROR(Nccl::Check(nccl_.ncclGetUniqueId(&id_), "ncclGetUniqueId"));
    has_id_ = true;
  }
  return id_;
}

absl::Status Communicator::Create(Rank& rank, int number, const std::function<void()>& poll) {
  {
    const MutexLock lock(rank.mutex);
    if (rank.comm != nullptr) return absl::OkStatus();
  }
  ACCELD_ASSIGN_OR_RETURN(const Nccl::UniqueId id, Id());
  {
    const MutexLock lock(rank.mutex);
    // Break, which comes to this rank later, destroys what is created here.
    ACCELD_RETURN_IF_ERROR(broken());
    Nccl::Config config;
    ACCELD_RETURN_IF_ERROR(
        Nccl::Check(nccl_.ncclCommInitRankConfig(&rank.comm, size(), id, number, &config),
                    "ncclCommInitRankConfig"));
  }
  return AwaitDone(rank, "ncclCommInitRankConfig", poll);
}

absl::Status Communicator::AwaitDone(Rank& rank, absl::string_view what,
                                     const std::function<void()>& poll) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    Nccl::Result state = 0;
    {
      const MutexLock lock(rank.mutex);
      if (rank.comm == nullptr) return broken();
      ACCELD_RETURN_IF_ERROR(
          Nccl::Check(nccl_.ncclCommGetAsyncError(rank.comm, &state), "ncclCommGetAsyncError"));
    }
    if (state != Nccl::kInProgress) return Nccl::Check(state, what);
    if (std::chrono::steady_clock::now() - begin < kSpin) {
      std::this_thread::yield();
      continue;
    }
    poll();
    std::this_thread::sleep_for(kSleep);
  }
}

absl::Status Communicator::Join(int number, const std::function<void()>& poll) {
  Rank& rank = ranks_[static_cast<size_t>(number)];
  const MutexLock turn(rank.turn);
  absl::Status status = broken();
  if (status.ok()) status = Create(rank, number, poll);
  if (!status.ok()) Break(status);
  return status;
}

absl::Status Communicator::Enqueue(int number,
                                   const std::function<Nccl::Result(Nccl::Comm)>& enqueue,
                                   const std::function<void()>& poll) {
  Rank& rank = ranks_[static_cast<size_t>(number)];
  const MutexLock turn(rank.turn);
  absl::Status status = EnqueueGroup(rank, enqueue);
  if (status.ok()) status = AwaitDone(rank, "ncclGroupEnd", poll);
  if (!status.ok()) Break(status);
  return status;
}

absl::Status Communicator::EnqueueGroup(
    Rank& rank, const std::function<Nccl::Result(Nccl::Comm)>& enqueue) const {
  const MutexLock lock(rank.mutex);
  ACCELD_RETURN_IF_ERROR(broken());
  if (rank.comm == nullptr) return absl::InternalError("a rank of a communicator did not join");
  ACCELD_RETURN_IF_ERROR(Nccl::Check(nccl_.ncclGroupStart(), "ncclGroupStart"));
  const Nccl::Result enqueued = enqueue(rank.comm);
  const Nccl::Result ended = nccl_.ncclGroupEnd();
  ACCELD_RETURN_IF_ERROR(Nccl::Check(enqueued, "enqueuing a collective"));
  return Nccl::Check(ended, "ncclGroupEnd");
}

absl::Status Communicator::Check(int number) {
  Rank& rank = ranks_[static_cast<size_t>(number)];
  absl::Status status;
  {
    const MutexLock lock(rank.mutex);
    if (rank.comm == nullptr) return broken();
    Nccl::Result state = 0;
    status = Nccl::Check(nccl_.ncclCommGetAsyncError(rank.comm, &state), "ncclCommGetAsyncError");
    if (status.ok()) status = Nccl::Check(state, "a collective");
  }
  if (!status.ok()) Break(status);
  return status;
}

void Communicator::Break(const absl::Status& reason) {
  {
    const MutexLock lock(mutex_);
    if (!broken_.ok()) return;
    broken_ = reason;
  }
  // The abort of the last rank frees all of them. Each may wait for the others, so each has its
  // thread.
  std::vector<std::thread> threads;
  for (Rank& rank : ranks_) {
    const MutexLock lock(rank.mutex);
    if (rank.comm == nullptr) continue;
    threads.push_back(StartThread(
        "nccl-abort", [this, context = rank.context, comm = std::exchange(rank.comm, nullptr)] {
          context->EnterForRelease();
          const absl::Status aborted = Nccl::Check(nccl_.ncclCommAbort(comm), "ncclCommAbort");
          if (!aborted.ok()) LogWarning(aborted.message());
        }));
  }
  for (std::thread& thread : threads) thread.join();
}

absl::Status Communicator::broken() const {
  const MutexLock lock(mutex_);
  return broken_;
}

absl::StatusOr<std::shared_ptr<Communicator>> Communicators::Of(
    const std::vector<std::shared_ptr<Context>>& contexts) {
  ACCELD_RETURN_IF_ERROR(available());
  std::vector<std::shared_ptr<Communicator>> unused;  // they are destroyed after the unlock
  const MutexLock lock(mutex_);
  Entry entry{.contexts = contexts, .communicator = nullptr};
  size_t num_unused = 0;
  for (size_t i = entries_.size(); i-- > 0;) {
    Entry& known = entries_[i];
    const bool works = known.communicator->broken().ok();
    if (works && known.contexts == contexts) {
      entry.communicator = std::move(known.communicator);
    } else if (works && (known.communicator.use_count() > 1 || ++num_unused <= kMaxUnused)) {
      continue;
    } else {
      unused.push_back(std::move(known.communicator));
    }
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (entry.communicator == nullptr) {
    entry.communicator = std::make_shared<Communicator>(*nccl_, contexts);
  }
  entries_.push_back(entry);
  return entry.communicator;
}

}  // namespace acceld::hal::cuda
