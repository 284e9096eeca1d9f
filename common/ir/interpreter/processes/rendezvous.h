#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"
#include "common/threads/mutex.h"

// The processes that run a program together. Source: StableHLO specification, "Parallel execution".
namespace acceld::ir::interpreter {

class Rendezvous;

// One of the processes of a run, as its machine sees it.
struct Process {
  int64_t number = 0;  // replica * grid.num_partitions + partition
  ProcessGrid grid;
  Rendezvous* rendezvous = nullptr;

  int64_t replica() const { return number / grid.num_partitions; }
  int64_t partition() const { return number % grid.num_partitions; }
};

// Where the processes of one run exchange values. Each process is a thread, but they take turns:
// one of them runs until it waits in Meet or ends, and then the next one that can go on does, in
// the order of their numbers. So a run takes the same course each time, errors included, and what
// processes share is used by one of them at a time. Thread-safe.
class Rendezvous {
 public:
  // The operands of the members of a group, in the order of the group.
  using Contributions = std::vector<std::vector<Literal>>;

  // With `is_same_program`, processes meet only at one and the same op. Otherwise they run
  // different functions, and meet at ops of the same kind with equal attributes.
  Rendezvous(int64_t num_processes, bool is_same_program);

  // Blocks until it is the turn of the process to begin. Returns an error if the run has failed.
  absl::Status Begin(int64_t process);
  // Blocks until all members of `group`, of which the process is one, have come to this op with
  // this group. Each brings its operands and gets those of all. Returns an error if the run fails:
  // another process fails, or none can go on. The op must live until this returns.
  absl::StatusOr<Contributions> Meet(int64_t process, const Op& op, std::vector<int64_t> group,
                                     std::vector<Literal> operands);
  // Ends the process, which must not use this object afterwards. The first error ends the run.
  void End(int64_t process, const absl::Status& status);

  // Returns why the run has failed: the error of the first process that failed, or INTERNAL, with
  // the ops at which processes wait, for a deadlock.
  absl::Status status();

 private:
  enum class State : uint8_t { kReady, kWaiting, kEnded };
  struct Member {
    State state = State::kReady;
    CondVar is_called;  // when it is the turn of the process, or the run fails
    // While it waits: where, for whom, and what it brings.
    const Op* op = nullptr;
    std::vector<int64_t> group;
    std::vector<Literal> operands;
    Contributions received;  // at its last meeting
  };

  bool CanMeet(const Member& a, const Member& b) const;
  bool IsComplete(const Member& member) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Complete(const std::vector<int64_t>& group) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PassTurn(int64_t process) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status AwaitTurn(int64_t process) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Fail(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Deadlock() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const bool is_same_program_;
  Mutex mutex_;
  std::vector<Member> members_ ABSL_GUARDED_BY(mutex_);  // by the number of the process
  int64_t running_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

// Calls `run` for each process of the grid, each call on a thread of its own, and blocks until all
// have returned. The calls take turns, as Rendezvous says, so they may share what `run` refers to.
// Returns the status of the rendezvous; RESOURCE_EXHAUSTED for too many processes.
absl::Status RunProcesses(const ProcessGrid& grid, bool is_same_program,
                          absl::FunctionRef<absl::Status(const Process&)> run);

}  // namespace acceld::ir::interpreter
