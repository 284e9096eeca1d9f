#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/engine_impl.h"
#include "server/engine/session/execute_checks.h"
#include "server/engine/session/session_impl.h"
#include "server/runtime/gang/gang.h"

// ExecuteSharded: a task for each process of a program, each as Execute makes it, that run as a
// gang.
namespace acceld::engine {
namespace {

absl::Status CheckCounts(size_t devices, size_t inputs, size_t outputs) {
  if (devices == 0) return absl::InvalidArgumentError("an execution on several devices names none");
  for (const auto& [what, count] : {std::pair("inputs", inputs), std::pair("outputs", outputs)}) {
    if (count % devices == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(count, " ", what, " are given for ", devices,
                                                   " devices, expected as many for each of them"));
  }
  return absl::OkStatus();
}

// Checks the donated inputs of all processes together: an array must not be donated by one and be
// an input of another.
absl::Status CheckDonatedInputs(size_t processes, absl::Span<const Handle> inputs,
                                absl::Span<const uint32_t> donated) {
  const size_t per_process = inputs.size() / processes;
  std::vector<uint32_t> of_all;
  for (const uint32_t number : donated) {
    if (number >= per_process) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", number, " is donated, each process has ", per_process));
    }
    for (size_t i = 0; i < processes; ++i) {
      of_all.push_back(static_cast<uint32_t>(i * per_process) + number);
    }
  }
  return engine::CheckDonatedInputs(inputs, of_all);
}

// Sends the host calls of one process. That the process has ended is not told: the client hears of
// the end of all.
class ProcessHostCallSender final : public runtime::HostCallSender {
 public:
  explicit ProcessHostCallSender(std::shared_ptr<runtime::HostCallSender> sender)
      : sender_(std::move(sender)) {}

  absl::StatusOr<std::shared_ptr<char>> Allocate(int64_t size_bytes) override {
    return sender_->Allocate(size_bytes);
  }
  absl::StatusOr<uint64_t> Ask(const kernels::HostCall& call, std::vector<SharedBytes> operands,
                               Answer answer) override {
    return sender_->Ask(call, std::move(operands), std::move(answer));
  }
  void Withdraw(uint64_t call_id) override { sender_->Withdraw(call_id); }
  void OnEnd(const absl::Status&) override {}

 private:
  const std::shared_ptr<runtime::HostCallSender> sender_;
};

}  // namespace

absl::Status SessionImpl::ExecuteSharded(ProgramId id, absl::Span<const uint32_t> devices,
                                         absl::Span<const Handle> inputs,
                                         absl::Span<const Handle> outputs,
                                         const ExecuteOptions& options) {
  ACCELD_RETURN_IF_ERROR(CheckCounts(devices.size(), inputs.size(), outputs.size()));
  ACCELD_RETURN_IF_ERROR(CheckDonatedInputs(devices.size(), inputs, options.donated));
  {
    const MutexLock lock(mutex_);
    ACCELD_RETURN_IF_ERROR(CheckOpen());
  }
  // No program can run on more devices than there are.
  const bool may_run = devices.size() <= engine_.num_devices();
  const size_t per_process = inputs.size() / devices.size();
  std::vector<Resolved> processes(devices.size());
  for (size_t i = 0; i < processes.size(); ++i) {
    processes[i].handles = inputs.subspan(i * per_process, per_process);
    processes[i].donated = options.donated;
    processes[i].participant = static_cast<int>(i);
    if (may_run && CheckDevice(devices[i]).ok()) {
      processes[i].process_number = engine_.ProcessNumber(devices[i], static_cast<uint32_t>(i));
    }
  }
  ACCELD_RETURN_IF_ERROR(ResolveProcesses(id, devices, outputs, options, processes));
  absl::Status error;
  if (!may_run) {
    error = absl::InvalidArgumentError(
        absl::StrCat(devices.size(), " devices are given, there are ", engine_.num_devices()));
  }
  for (const Resolved& process : processes) error.Update(process.error);
  if (error.ok()) error = PrepareProcesses(devices, options, processes);
  ACCELD_RETURN_IF_ERROR(DefineProcesses(devices, outputs, error, processes));
  if (!processes[0].error.ok()) {
    engine_.CountRefusal(processes[0].error);
    if (options.callbacks != 0) host_calls_->End(options.callbacks, processes[0].error);
    return absl::OkStatus();
  }
  const std::shared_ptr<runtime::Gang> gang = processes[0].gang;
  if (gang != nullptr && options.deadline.has_value()) {
    SetDeadline(gang, *processes[0].program->name, *options.deadline);
  }
  ExecuteOptions of_process = options;
  of_process.deadline.reset();
  for (const Resolved& process : processes) {
    if (gang != nullptr && !process.error.ok()) gang->Cancel(process.error);
  }
  for (size_t i = 0; i < processes.size(); ++i) {
    if (processes[i].error.ok()) Start(std::move(processes[i]), devices[i], of_process);
  }
  return absl::OkStatus();
}

absl::Status SessionImpl::ResolveProcesses(ProgramId id, absl::Span<const uint32_t> devices,
                                           absl::Span<const Handle> outputs,
                                           const ExecuteOptions& options,
                                           std::vector<Resolved>& processes) {
  const MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckOpen());
  ACCELD_RETURN_IF_ERROR(CheckNew(outputs).status());
  const int64_t queued = this->queued() + static_cast<int64_t>(devices.size());
  if (queued > engine_.options().max_queued_executions) {
    return absl::ResourceExhaustedError(absl::StrCat("session: ", queued, " of ",
                                                     engine_.options().max_queued_executions,
                                                     " executions would be queued"));
  }
  for (size_t i = 0; i < processes.size(); ++i) {
    Resolved& process = processes[i];
    ACCELD_ASSIGN_OR_RETURN(
        process.charge,
        identity_->Take(
            QuotaId::kQueued,
            QueueEntriesFor(process.handles, outputs.subspan(0, outputs.size() / devices.size()))));
    Resolve(id, devices[i], process);
    if (process.error.ok()) process.error = TakeHost(options, devices[i], process);
    if (process.host != nullptr) {
      process.host = std::make_shared<ProcessHostCallSender>(std::move(process.host));
    }
    if (process.error.ok() &&
        (*process.program->program)->num_processes() != static_cast<int64_t>(devices.size())) {
      process.error = absl::InvalidArgumentError(
          absl::StrCat("program ", *process.program->name, ": it is for ",
                       (*process.program->program)->num_processes(), " processes, ", devices.size(),
                       " devices are given"));
    }
  }
  return absl::OkStatus();
}

absl::Status SessionImpl::PrepareProcesses(absl::Span<const uint32_t> devices,
                                           const ExecuteOptions& options,
                                           std::vector<Resolved>& processes) {
  const std::string& name = *processes[0].program->name;
  std::vector<hal::Device*> members;
  std::set<uint32_t> seen;
  for (const uint32_t device : devices) {
    if (!seen.insert(device).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "program ", name, ": device ", device, " is given twice, each process needs its own"));
    }
    members.push_back(&engine_.executor(device).device());
    if (members.back()->kind() != members[0]->kind()) {
      return absl::InvalidArgumentError(
          absl::StrCat("program ", name, ": device ", devices[0], " is a ", members[0]->kind(),
                       " device and device ", device, " a ", members.back()->kind(),
                       " device; processes that exchange values need devices of one kind"));
    }
  }
  for (size_t i = 0; i < processes.size(); ++i) {
    Resolved& process = processes[i];
    if (process.call != nullptr) continue;
    TypeList arguments;
    for (const auto& input : process.inputs) arguments.push_back(*input->type());
    ACCELD_ASSIGN_OR_RETURN(process.call, MakeCall(*process.program, std::move(arguments),
                                                   engine_.targets().OfDevice(devices[i])));
    const MutexLock lock(mutex_);
    RememberCall(*process.program, process.call);
  }
  if (NeedNoGang(options, processes)) return absl::OkStatus();
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<hal::Gang> participants, members[0]->CreateGang(members));
  const Priority priority = options.priority.value_or(priority_);
  const auto gang = std::make_shared<runtime::Gang>(
      engine_.gangs(), std::move(participants),
      id_ * kNumPriorities + static_cast<size_t>(priority), priority);
  for (Resolved& process : processes) process.gang = gang;
  if (options.callbacks != 0) {
    gang->OnEnd([table = host_calls_, callbacks = options.callbacks](const absl::Status& status) {
      table->End(callbacks, status);
    });
  }
  return absl::OkStatus();
}

bool SessionImpl::NeedNoGang(const ExecuteOptions& options,
                             const std::vector<Resolved>& processes) {
  if (options.callbacks != 0 || options.deadline.has_value()) return false;
  return std::all_of(processes.begin(), processes.end(), [](const Resolved& process) {
    const std::shared_ptr<const hal::LoadedExecutable> loaded = process.call->loaded.lock();
    if (loaded == nullptr) return false;
    if (!loaded->executable->steady || loaded->executable->has_collectives) return false;
    return std::all_of(process.inputs.begin(), process.inputs.end(), [](const auto& input) {
      return input->view().state == runtime::Array::State::kDefined;
    });
  });
}

void SessionImpl::SetDeadline(const std::shared_ptr<runtime::Gang>& gang, const std::string& name,
                              std::chrono::steady_clock::time_point deadline) {
  const absl::Status reason = absl::DeadlineExceededError(
      absl::StrCat("program ", name, ": it was not done by its deadline"));
  if (deadline <= std::chrono::steady_clock::now()) return gang->Cancel(reason);
  TimerQueue& timers = engine_.timers();
  const uint64_t timer = timers.At(deadline, [weak = std::weak_ptr<runtime::Gang>(gang), reason] {
    if (const auto late = weak.lock(); late != nullptr) late->Cancel(reason);
  });
  if (timer == 0) return gang->Cancel(TooManyDeadlines(name));
  gang->OnEnd([&timers, timer](const absl::Status&) { timers.Cancel(timer); });
}

absl::Status SessionImpl::DefineProcesses(absl::Span<const uint32_t> devices,
                                          absl::Span<const Handle> outputs,
                                          const absl::Status& error,
                                          std::vector<Resolved>& processes) {
  const MutexLock lock(mutex_);
  ACCELD_RETURN_IF_ERROR(CheckOpen());
  ACCELD_ASSIGN_OR_RETURN(processes[0].handles_charge, CheckNew(outputs));
  const size_t per_process = outputs.size() / devices.size();
  // The processes have their outputs together or not at all.
  absl::Status shared = error;
  for (const Resolved& process : processes) {
    if (!shared.ok()) break;
    shared = CheckOutputCount(*process.program->name, process.call->results->size(), per_process);
    if (shared.ok()) shared = CheckDonated(process);
  }
  for (size_t i = 0; i < processes.size(); ++i) {
    processes[i].error = shared;
    DefineOutputs(outputs.subspan(i * per_process, per_process), devices[i], processes[i]);
  }
  return absl::OkStatus();
}

}  // namespace acceld::engine
