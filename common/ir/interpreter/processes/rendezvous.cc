#include "common/ir/interpreter/processes/rendezvous.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter/machine.h"
#include "common/threads/start_thread.h"

namespace acceld::ir::interpreter {
namespace {

// Each process is a thread.
constexpr int64_t kMaxThreads = 1024;

// "process 3", or "processes 0, 1 and 5".
std::string ProcessesText(const std::vector<int64_t>& numbers) {
  constexpr size_t kMost = 16;
  if (numbers.size() == 1) return absl::StrCat("process ", numbers[0]);
  std::string text = "processes ";
  for (size_t i = 0; i < std::min(numbers.size(), kMost); ++i) {
    const char* separator = i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ";
    absl::StrAppend(&text, separator, numbers[i]);
  }
  if (numbers.size() > kMost) absl::StrAppend(&text, " and ", numbers.size() - kMost, " more");
  return text;
}

}  // namespace

Rendezvous::Rendezvous(int64_t num_processes, bool is_same_program)
    : is_same_program_(is_same_program), members_(static_cast<size_t>(num_processes)) {}

absl::Status Rendezvous::Begin(int64_t process) {
  MutexLock lock(mutex_);
  return AwaitTurn(process);
}

absl::StatusOr<Rendezvous::Contributions> Rendezvous::Meet(int64_t process, const Op& op,
                                                           std::vector<int64_t> group,
                                                           std::vector<Literal> operands) {
  MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(status_);
  Member& self = members_[static_cast<size_t>(process)];
  self.state = State::kWaiting;
  self.op = &op;
  self.group = std::move(group);
  self.operands = std::move(operands);
  if (IsComplete(self)) Complete(self.group);
  PassTurn(process);
  ACCELD_RETURN_IF_ERROR(AwaitTurn(process));
  return std::move(self.received);
}

void Rendezvous::End(int64_t process, const absl::Status& status) {
  MutexLock lock(mutex_);
  members_[static_cast<size_t>(process)].state = State::kEnded;
  // After the first error the others only end.
  if (!status_.ok()) return;
  if (status.ok()) {
    PassTurn(process);
  } else {
    Fail(Annotate(status, absl::StrCat("process ", process)));
  }
}

absl::Status Rendezvous::status() {
  MutexLock lock(mutex_);
  return status_;
}

bool Rendezvous::CanMeet(const Member& a, const Member& b) const {
  if (a.group != b.group) return false;
  if (a.op == b.op || is_same_program_) return a.op == b.op;
  return a.op->kind == b.op->kind && a.op->attributes == b.op->attributes;
}

bool Rendezvous::IsComplete(const Member& member) const {
  for (const int64_t number : member.group) {
    const Member& other = members_[static_cast<size_t>(number)];
    if (other.state != State::kWaiting || !CanMeet(member, other)) return false;
  }
  return true;
}

void Rendezvous::Complete(const std::vector<int64_t>& group) {
  Contributions contributions;
  for (const int64_t number : group) {
    contributions.push_back(std::move(members_[static_cast<size_t>(number)].operands));
  }
  for (const int64_t number : group) {
    Member& member = members_[static_cast<size_t>(number)];
    member.received = contributions;
    member.state = State::kReady;
  }
}

// The process itself goes on if it can.
void Rendezvous::PassTurn(int64_t process) {
  const auto count = static_cast<int64_t>(members_.size());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t next = (process + i) % count;
    if (members_[static_cast<size_t>(next)].state != State::kReady) continue;
    running_ = next;
    members_[static_cast<size_t>(next)].is_called.NotifyOne();
    return;
  }
  const auto has_ended = [](const Member& member) { return member.state == State::kEnded; };
  if (!std::all_of(members_.begin(), members_.end(), has_ended)) Fail(Deadlock());
}

absl::Status Rendezvous::AwaitTurn(int64_t process) {
  while (running_ != process && status_.ok()) {
    members_[static_cast<size_t>(process)].is_called.Wait(mutex_);
  }
  return status_;
}

void Rendezvous::Fail(absl::Status status) {
  status_ = std::move(status);
  for (Member& member : members_) member.is_called.NotifyOne();
}

absl::Status Rendezvous::Deadlock() const {
  std::vector<std::pair<const Op*, std::vector<int64_t>>> waiting;
  std::vector<int64_t> ended;
  for (size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    const auto number = static_cast<int64_t>(i);
    if (member.state == State::kEnded) {
      ended.push_back(number);
      continue;
    }
    auto same = std::find_if(waiting.begin(), waiting.end(),
                             [&](const auto& entry) { return entry.first == member.op; });
    if (same == waiting.end()) {
      same = waiting.insert(waiting.end(), {member.op, std::vector<int64_t>()});
    }
    same->second.push_back(number);
  }
  std::string text;
  for (const auto& [op, numbers] : waiting) {
    absl::StrAppend(&text, text.empty() ? "deadlock: " : "; ", ProcessesText(numbers),
                    numbers.size() == 1 ? " waits at " : " wait at ", Describe(*op));
  }
  if (!ended.empty()) {
    absl::StrAppend(&text, "; ", ProcessesText(ended), ended.size() == 1 ? " has" : " have",
                    " ended");
  }
  return absl::InternalError(text);
}

absl::Status RunProcesses(const ProcessGrid& grid, bool is_same_program,
                          absl::FunctionRef<absl::Status(const Process&)> run) {
  if (grid.size() > kMaxThreads) {
    return absl::ResourceExhaustedError(absl::StrCat(
        grid.size(), " processes are more than the interpreter's limit of ", kMaxThreads));
  }
  Rendezvous rendezvous(grid.size(), is_same_program);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(grid.size()));
  for (int64_t number = 0; number < grid.size(); ++number) {
    threads.push_back(StartThread(absl::StrCat("process-", number), [&, number] {
      const Process process{.number = number, .grid = grid, .rendezvous = &rendezvous};
      absl::Status status = rendezvous.Begin(number);
      if (status.ok()) status = run(process);
      rendezvous.End(number, status);
    }));
  }
  for (std::thread& thread : threads) thread.join();
  return rendezvous.status();
}

}  // namespace acceld::ir::interpreter
