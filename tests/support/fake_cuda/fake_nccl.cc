#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "common/check.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/nccl/nccl.h"
#include "tests/support/fake_cuda/fake_library.h"

// The functions of NCCL that acceld calls, between devices of the fake driver, so that the library
// of this file can stand in for it. Its rules are those of communicators that do not block: work is
// enqueued in groups only, and is on the stream only when ncclCommGetAsyncError says so. On streams
// it waits for the other ranks, as kernels of NCCL do, until the rank is aborted.
//
// Beyond the functions' own names, FakeCuda::Fail knows "ncclKernel": work that is on the stream
// never ends, and its result becomes the communicator's error.
namespace {

using acceld::CondVar;
using acceld::Mutex;
using acceld::MutexLock;
using acceld::hal::cuda::Nccl;
using acceld::testing::fake::RunOnStream;
using Result = Nccl::Result;

constexpr Result kInvalidArgument = 4, kInvalidUsage = 5, kRemoteError = 6;

struct Message {
  const void* from;
  size_t bytes;
  bool is_received = false;
};

// A collective of all ranks.
struct Meeting {
  struct Member {
    const void* from = nullptr;
    void* to = nullptr;
  };
  int function = 0;  // what the ranks have to agree on
  size_t bytes = 0;
  std::vector<Member> members;
  int num_here = 0;
  bool is_done = false;
};

struct Clique {
  explicit Clique(int of_ranks) : ranks(of_ranks) {}

  const int ranks;
  Mutex mutex;
  CondVar changed;
  std::set<int> joined ABSL_GUARDED_BY(mutex);
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Message>>> messages
      ABSL_GUARDED_BY(mutex);
  std::map<int64_t, std::shared_ptr<Meeting>> meetings ABSL_GUARDED_BY(mutex);
};

struct Rank;

struct Operation {
  enum class Kind { kSend, kReceive, kAllGather, kAllReduce, kBroadcast } kind;
  const void* from;
  void* to;
  size_t bytes;
  int type = 0, operation = 0, peer = 0;
};

struct Rank {
  std::shared_ptr<Clique> clique;
  int number;
  // Guarded by the clique's mutex.
  bool is_aborted = false;
  Result error = 0;
  // Used by one thread at a time.
  int64_t num_meetings = 0;
  std::vector<Operation> pending;
  void* stream = nullptr;
  int polls = 0;  // how often the pending work is still in progress
};

struct Library {
  Mutex mutex;
  int64_t num_ids ABSL_GUARDED_BY(mutex) = 0;
  std::map<int64_t, std::shared_ptr<Clique>> cliques ABSL_GUARDED_BY(mutex);
  std::map<Nccl::Comm, std::shared_ptr<Rank>> ranks ABSL_GUARDED_BY(mutex);
};

Library& TheLibrary() {
  static auto& library = *new Library;
  return library;
}

// The group that the thread has open.
thread_local int depth = 0;
thread_local std::map<Nccl::Comm, std::vector<std::pair<Operation, void*>>> group;

// The handle has not been aborted: that would be an error of the caller.
std::shared_ptr<Rank> RankOf(Nccl::Comm comm) {
  Library& library = TheLibrary();
  const MutexLock lock(library.mutex);
  const auto it = library.ranks.find(comm);
  ACCELD_CHECK(it != library.ranks.end());
  return it->second;
}

template <typename T>
T Combined(int operation, T a, T b) {
  switch (operation) {
    case 0:
      return static_cast<T>(a + b);
    case 1:
      return static_cast<T>(a * b);
    case 2:
      return std::max(a, b);
    default:
      return std::min(a, b);
  }
}

template <typename T>
void Reduce(const Meeting& meeting, int operation) {
  for (size_t i = 0; i < meeting.bytes / sizeof(T); ++i) {
    T all = static_cast<const T*>(meeting.members[0].from)[i];
    for (size_t rank = 1; rank < meeting.members.size(); ++rank) {
      all = Combined(operation, all, static_cast<const T*>(meeting.members[rank].from)[i]);
    }
    for (const Meeting::Member& member : meeting.members) static_cast<T*>(member.to)[i] = all;
  }
}

void Hold(const Meeting& meeting, const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::kAllGather:
      for (const Meeting::Member& member : meeting.members) {
        for (size_t rank = 0; rank < meeting.members.size(); ++rank) {
          std::memmove(static_cast<char*>(member.to) + rank * meeting.bytes,
                       meeting.members[rank].from, meeting.bytes);
        }
      }
      break;
    case Operation::Kind::kBroadcast:
      for (const Meeting::Member& member : meeting.members) {
        std::memmove(member.to, meeting.members[static_cast<size_t>(operation.peer)].from,
                     meeting.bytes);
      }
      break;
    case Operation::Kind::kAllReduce:
      switch (operation.type) {
        case 0:
          return Reduce<int8_t>(meeting, operation.operation);
        case 1:
          return Reduce<uint8_t>(meeting, operation.operation);
        case 2:
          return Reduce<int32_t>(meeting, operation.operation);
        case 3:
          return Reduce<uint32_t>(meeting, operation.operation);
        case 4:
          return Reduce<int64_t>(meeting, operation.operation);
        default:
          return Reduce<uint64_t>(meeting, operation.operation);
      }
    case Operation::Kind::kSend:
    case Operation::Kind::kReceive:
      break;
  }
}

// Work on a stream: what was enqueued as one group.
class Kernel {
 public:
  Kernel(std::shared_ptr<Rank> rank, std::vector<Operation> operations, int64_t first_meeting)
      : rank_(std::move(rank)), operations_(std::move(operations)), first_meeting_(first_meeting) {}

  void Run() const {
    Clique& clique = *rank_->clique;
    const MutexLock lock(clique.mutex);
    std::vector<std::shared_ptr<Message>> sent;
    for (const Operation& operation : operations_) {
      if (operation.kind != Operation::Kind::kSend) continue;
      sent.push_back(std::make_shared<Message>(Message{operation.from, operation.bytes}));
      clique.messages[{rank_->number, operation.peer}].push_back(sent.back());
    }
    clique.changed.NotifyAll();
    int64_t meeting = first_meeting_;
    for (const Operation& operation : operations_) {
      bool ended = true;
      if (operation.kind == Operation::Kind::kReceive) {
        ended = Receive(clique, operation);
      } else if (operation.kind != Operation::Kind::kSend) {
        ended = Attend(clique, operation, meeting++);
      }
      if (!ended) return;
    }
    for (const auto& message : sent) {
      while (!message->is_received) {
        if (rank_->is_aborted) return;
        clique.changed.Wait(clique.mutex);
      }
    }
  }

 private:
  bool Receive(Clique& clique, const Operation& operation) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(clique.mutex) {
    std::deque<std::shared_ptr<Message>>& messages =
        clique.messages[{operation.peer, rank_->number}];
    while (messages.empty()) {
      if (rank_->is_aborted) return false;
      clique.changed.Wait(clique.mutex);
    }
    Message& message = *messages.front();
    if (message.bytes != operation.bytes) {
      rank_->error = kRemoteError;
      return false;
    }
    std::memcpy(operation.to, message.from, message.bytes);
    message.is_received = true;
    messages.pop_front();
    clique.changed.NotifyAll();
    return true;
  }

  bool Attend(Clique& clique, const Operation& operation, int64_t number) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(clique.mutex) {
    std::shared_ptr<Meeting>& known = clique.meetings[number];
    const int function =
        static_cast<int>(operation.kind) * 100 + operation.operation * 10 + operation.type;
    if (known == nullptr) {
      known = std::make_shared<Meeting>();
      known->function = function;
      known->bytes = operation.bytes;
      known->members.resize(static_cast<size_t>(clique.ranks));
    }
    const std::shared_ptr<Meeting> meeting = known;
    if (meeting->function != function || meeting->bytes != operation.bytes) {
      rank_->error = kRemoteError;
      return false;
    }
    meeting->members[static_cast<size_t>(rank_->number)] = {operation.from, operation.to};
    if (++meeting->num_here == clique.ranks) {
      Hold(*meeting, operation);
      meeting->is_done = true;
      clique.meetings.erase(number);
      clique.changed.NotifyAll();
    }
    while (!meeting->is_done) {
      if (rank_->is_aborted) return false;
      clique.changed.Wait(clique.mutex);
    }
    return true;
  }

  const std::shared_ptr<Rank> rank_;
  const std::vector<Operation> operations_;
  const int64_t first_meeting_;
};

Result Enqueue(Nccl::Comm comm, void* stream, const Operation& operation, const char* function) {
  if (const int result = FakeCudaBegin(function); result != 0) return result;
  const std::shared_ptr<Rank> rank = RankOf(comm);
  if (depth == 0 || !rank->pending.empty()) return kInvalidUsage;
  const bool is_message =
      operation.kind == Operation::Kind::kSend || operation.kind == Operation::Kind::kReceive;
  if (is_message && (operation.peer < 0 || operation.peer >= rank->clique->ranks ||
                     operation.peer == rank->number)) {
    return kInvalidArgument;
  }
  group[comm].push_back({operation, stream});
  return 0;
}

// Puts the pending work on its stream.
Result Flush(const std::shared_ptr<Rank>& rank) {
  std::vector<Operation> operations = std::exchange(rank->pending, {});
  int64_t meetings = 0;
  for (const Operation& operation : operations) {
    meetings +=
        operation.kind != Operation::Kind::kSend && operation.kind != Operation::Kind::kReceive;
  }
  const int64_t first = std::exchange(rank->num_meetings, rank->num_meetings + meetings);
  if (const int broken = FakeCudaBegin("ncclKernel"); broken != 0) {
    return RunOnStream(rank->stream, [rank, broken] {
      Clique& clique = *rank->clique;
      const MutexLock lock(clique.mutex);
      rank->error = broken;
      while (!rank->is_aborted) clique.changed.Wait(clique.mutex);
    });
  }
  return RunOnStream(rank->stream,
                     [kernel = Kernel(rank, std::move(operations), first)] { kernel.Run(); });
}

size_t BytesOfType(int type) { return type < 2 ? 1 : type < 4 ? 4 : 8; }

}  // namespace

extern "C" {

using Comm = Nccl::Comm;
using UniqueId = Nccl::UniqueId;
using Config = Nccl::Config;
using Stream = Nccl::Stream;

Result ncclGetVersion(int* version) {
  *version = 22907;
  return 0;
}

Result ncclGetUniqueId(UniqueId* id) {
  if (const int result = FakeCudaBegin("ncclGetUniqueId"); result != 0) return result;
  Library& library = TheLibrary();
  const MutexLock lock(library.mutex);
  *id = {};
  const int64_t number = ++library.num_ids;
  std::memcpy(id->bytes, &number, sizeof(number));
  return 0;
}

Result ncclCommInitRankConfig(Comm* comm, int ranks, UniqueId id, int rank, Config* config) {
  *comm = nullptr;
  if (const int result = FakeCudaBegin("ncclCommInitRankConfig"); result != 0) return result;
  if (config->magic != 0xcafebeef || config->blocking != 0 || config->size != sizeof(Config) ||
      config->version < 21400 || ranks < 1 || rank < 0 || rank >= ranks) {
    return kInvalidArgument;
  }
  int64_t number = 0;
  std::memcpy(&number, id.bytes, sizeof(number));
  Library& library = TheLibrary();
  const MutexLock lock(library.mutex);
  std::shared_ptr<Clique>& clique = library.cliques[number];
  if (clique == nullptr) clique = std::make_shared<Clique>(ranks);
  const MutexLock clique_lock(clique->mutex);
  if (clique->ranks != ranks || !clique->joined.insert(rank).second) return kInvalidUsage;
  auto made = std::make_shared<Rank>();
  made->clique = clique;
  made->number = rank;
  *comm = reinterpret_cast<Comm>(made.get());
  library.ranks.emplace(*comm, std::move(made));
  FakeCudaCount(1);
  return Nccl::kInProgress;
}

Result ncclCommGetAsyncError(Comm comm, Result* result) {
  const std::shared_ptr<Rank> rank = RankOf(comm);
  {
    const MutexLock lock(rank->clique->mutex);
    *result = rank->error;
    if (rank->error != 0) return 0;
    if (static_cast<int>(rank->clique->joined.size()) < rank->clique->ranks) {
      *result = Nccl::kInProgress;
      return 0;
    }
  }
  if (rank->pending.empty()) return 0;
  if (rank->polls-- > 0) {
    *result = Nccl::kInProgress;
  } else {
    *result = Flush(rank);
  }
  return 0;
}

Result ncclCommAbort(Comm comm) {
  const std::shared_ptr<Rank> rank = RankOf(comm);
  FakeCudaBegin("ncclCommAbort");
  FakeCudaCount(-1);
  Library& library = TheLibrary();
  {
    const MutexLock lock(library.mutex);
    library.ranks.erase(comm);
  }
  const MutexLock lock(rank->clique->mutex);
  rank->is_aborted = true;
  rank->clique->changed.NotifyAll();
  return 0;
}

Result ncclGroupStart() {
  ++depth;
  return 0;
}

Result ncclGroupEnd() {
  if (--depth > 0) return 0;
  auto enqueued = std::exchange(group, {});
  if (const int result = FakeCudaBegin("ncclGroupEnd"); result != 0) return result;
  for (auto& [comm, operations] : enqueued) {
    const std::shared_ptr<Rank> rank = RankOf(comm);
    for (auto& [operation, stream] : operations) {
      rank->pending.push_back(operation);
      rank->stream = stream;
    }
    rank->polls = 1;
  }
  return enqueued.empty() ? 0 : Nccl::kInProgress;
}

Result ncclSend(const void* from, size_t count, int type, int peer, Comm comm, Stream stream) {
  return Enqueue(comm, stream,
                 {.kind = Operation::Kind::kSend,
                  .from = from,
                  .bytes = count * BytesOfType(type),
                  .peer = peer},
                 "ncclSend");
}

Result ncclRecv(void* to, size_t count, int type, int peer, Comm comm, Stream stream) {
  return Enqueue(comm, stream,
                 {.kind = Operation::Kind::kReceive,
                  .to = to,
                  .bytes = count * BytesOfType(type),
                  .peer = peer},
                 "ncclRecv");
}

Result ncclAllGather(const void* from, void* to, size_t count, int type, Comm comm, Stream stream) {
  return Enqueue(comm, stream,
                 {.kind = Operation::Kind::kAllGather,
                  .from = from,
                  .to = to,
                  .bytes = count * BytesOfType(type),
                  .type = type},
                 "ncclAllGather");
}

Result ncclAllReduce(const void* from, void* to, size_t count, int type, int operation, Comm comm,
                     Stream stream) {
  return Enqueue(comm, stream,
                 {.kind = Operation::Kind::kAllReduce,
                  .from = from,
                  .to = to,
                  .bytes = count * BytesOfType(type),
                  .type = type,
                  .operation = operation},
                 "ncclAllReduce");
}

Result ncclBroadcast(const void* from, void* to, size_t count, int type, int root, Comm comm,
                     Stream stream) {
  return Enqueue(comm, stream,
                 {.kind = Operation::Kind::kBroadcast,
                  .from = from,
                  .to = to,
                  .bytes = count * BytesOfType(type),
                  .type = type,
                  .peer = root},
                 "ncclBroadcast");
}

}  // extern "C"
