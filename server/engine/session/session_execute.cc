#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/op_origin.h"
#include "server/cache/cache_key.h"
#include "server/engine/cache/compile_interest.h"
#include "server/engine/cache/compile_trace.h"
#include "server/engine/engine_impl.h"
#include "server/engine/session/execute_checks.h"
#include "server/engine/session/session_impl.h"
#include "server/runtime/gang/gang.h"

// Execute: makes a task for a device from handles. A call that was made before takes one lock and a
// few table look-ups, without type inference; clients take this path thousands of times.
namespace acceld::engine {
namespace {

// The most calls (argument types and device) of one program that a session remembers.
constexpr size_t kMaxCalls = 64;

// Every so many arguments and results, an execution counts as one more in the quota of queued
// executions, as they take as much memory as the rest of it.
constexpr size_t kArgumentsPerQueueEntry = 64;

}  // namespace

int64_t QueueEntriesFor(absl::Span<const Handle> inputs, absl::Span<const Handle> outputs) {
  return 1 + static_cast<int64_t>((inputs.size() + outputs.size()) / kArgumentsPerQueueEntry);
}

// Checks the list of donated inputs, independently of the arrays that the handles name.
absl::Status CheckDonatedInputs(absl::Span<const Handle> inputs,
                                absl::Span<const uint32_t> donated) {
  if (donated.empty()) return absl::OkStatus();
  absl::flat_hash_map<Handle, int> uses;
  for (const Handle input : inputs) ++uses[input];
  absl::flat_hash_set<uint32_t> seen;
  for (const uint32_t number : donated) {
    if (number >= inputs.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("argument ", number, " is donated, there are ", inputs.size()));
    }
    if (!seen.insert(number).second) {
      return absl::InvalidArgumentError(absl::StrCat("argument ", number, " is donated twice"));
    }
    if (uses[inputs[number]] > 1) {
      return absl::InvalidArgumentError(absl::StrCat("argument ", number, ", handle ",
                                                     inputs[number],
                                                     ", is donated and is another argument, too"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOutputCount(const std::string& name, size_t results, size_t handles) {
  if (results == handles) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("program ", name, ": it returns ", results,
                                                 " results, ", handles, " handles are given"));
}

absl::Status SessionImpl::Execute(ProgramId id, absl::Span<const Handle> inputs,
                                  absl::Span<const Handle> outputs, uint32_t device,
                                  const ExecuteOptions& options) {
  ACCELD_RETURN_IF_ERROR(CheckDonatedInputs(inputs, options.donated));
  Resolved resolved{.handles = inputs, .donated = options.donated};
  {
    MutexLock lock(mutex_);
    ACCELD_RETURN_IF_ERROR(CheckOpen());
    ACCELD_ASSIGN_OR_RETURN(resolved.handles_charge, CheckNew(outputs));
    const int64_t queued = this->queued();
    if (queued >= engine_.options().max_queued_executions) {
      return absl::ResourceExhaustedError(absl::StrCat("session: ", queued, " of ",
                                                       engine_.options().max_queued_executions,
                                                       " executions are queued"));
    }
    ACCELD_ASSIGN_OR_RETURN(resolved.charge,
                            identity_->Take(QuotaId::kQueued, QueueEntriesFor(inputs, outputs)));
    Resolve(id, device, resolved);
    if (resolved.error.ok()) resolved.error = TakeHost(options, device, resolved);
    if (resolved.call != nullptr || !resolved.error.ok()) {
      DefineOutputs(outputs, device, resolved);
    }
  }
  if (resolved.call == nullptr && resolved.error.ok()) {
    TypeList arguments;
    for (const auto& input : resolved.inputs) arguments.push_back(*input->type());
    absl::StatusOr<std::shared_ptr<Call>> call =
        MakeCall(*resolved.program, std::move(arguments), engine_.targets().OfDevice(device));
    MutexLock lock(mutex_);
    ACCELD_RETURN_IF_ERROR(CheckOpen());
    resolved.handles_charge.Release();
    ACCELD_ASSIGN_OR_RETURN(resolved.handles_charge, CheckNew(outputs));
    if (call.ok()) {
      resolved.call = *std::move(call);
      RememberCall(*resolved.program, resolved.call);
    } else {
      resolved.error = call.status();
    }
    DefineOutputs(outputs, device, resolved);
  }
  if (resolved.error.ok()) {
    Start(std::move(resolved), device, options);
  } else {
    engine_.CountRefusal(resolved.error);
    if (options.callbacks != 0) host_calls_->End(options.callbacks, resolved.error);
  }
  return absl::OkStatus();
}

void SessionImpl::Resolve(ProgramId id, uint32_t device, Resolved& resolved) {
  resolved.error = CheckDevice(device);
  if (!resolved.error.ok()) return;
  const auto program = programs_.find(id);
  if (program == programs_.end()) {
    resolved.error = absl::NotFoundError(absl::StrCat("program ", id, " is not registered"));
    return;
  }
  resolved.program = program->second;
  if (!resolved.program->program.ok()) {
    resolved.error = resolved.program->program.status();
    return;
  }
  const int64_t processes = (*resolved.program->program)->num_processes();
  if ((processes > 1) != (resolved.process_number != nullptr)) {
    resolved.error = absl::InvalidArgumentError(absl::StrCat(
        "program ", *resolved.program->name, ": it is for ", processes,
        processes == 1 ? " process, but is executed on several devices"
                       : " processes, each on a device of its own; it cannot be executed on one"));
    return;
  }
  for (const Handle handle : resolved.handles) {
    const auto it = handles_.find(handle);
    if (it == handles_.end()) {
      resolved.error = absl::NotFoundError(absl::StrCat("program ", *resolved.program->name,
                                                        ": handle ", handle, " is not defined"));
      return;
    }
    resolved.error = TakeBack(handle, it->second);
    if (!resolved.error.ok()) {
      resolved.error = Annotate(resolved.error, absl::StrCat("program ", *resolved.program->name));
      return;
    }
    // Without a type there is nothing to infer from; the input has failed, and its error is passed
    // on.
    if (!it->second.array->type().has_value()) {
      resolved.error = it->second.array->error();
      return;
    }
    resolved.inputs.push_back(it->second.array);
  }
  if (resolved.process_number != nullptr) resolved.inputs.push_back(resolved.process_number);
  resolved.call = FindCall(*resolved.program, resolved.inputs, device);
}

absl::Status SessionImpl::TakeHost(const ExecuteOptions& options, uint32_t device,
                                   Resolved& resolved) const {
  const std::vector<int64_t>& wanted = (*resolved.program->program)->host_callbacks();
  if (options.callbacks == 0) {
    if (wanted.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("program ", *resolved.program->name, ": it calls host callback ",
                     wanted.front(), " of its client, which has to be given when it is executed"));
  }
  ACCELD_ASSIGN_OR_RETURN(resolved.host, host_calls_->NewHostCallSender(options.callbacks, device));
  return absl::OkStatus();
}

std::shared_ptr<SessionImpl::Call> SessionImpl::FindCall(
    RegisteredProgram& program, absl::Span<const std::shared_ptr<runtime::Array>> inputs,
    uint32_t device) {
  for (auto it = program.calls.begin(); it != program.calls.end(); ++it) {
    const Call& call = **it;
    if (call.target->device != device || call.arguments.size() != inputs.size()) continue;
    bool equal = true;
    for (size_t i = 0; equal && i < inputs.size(); ++i) {
      equal = call.arguments[i] == *inputs[i]->type();
    }
    if (!equal) continue;
    program.calls.splice(program.calls.begin(), program.calls, it);
    return program.calls.front();
  }
  return nullptr;
}

void SessionImpl::RememberCall(RegisteredProgram& program, std::shared_ptr<Call> call) {
  program.calls.push_front(std::move(call));
  if (program.calls.size() > kMaxCalls) program.calls.pop_back();
}

absl::StatusOr<std::shared_ptr<SessionImpl::Call>> SessionImpl::MakeCall(
    const RegisteredProgram& program, TypeList arguments, CompileTargetPtr target) const {
  absl::StatusOr<std::shared_ptr<const TypeList>> results =
      (*program.program)->ResultTypes(arguments);
  if (!results.ok()) {
    return Annotate(results.status(), absl::StrCat("program ", *program.name));
  }
  auto call = std::make_shared<Call>();
  call->results = *std::move(results);
  call->memory = Taken(identity_->allowance(QuotaId::kProgramMemory));
  ACCELD_RETURN_IF_ERROR(call->memory.Add(static_cast<int64_t>(sizeof(Call)) +
                                          MemoryBytesOf(arguments) +
                                          MemoryBytesOf(*call->results)));
  call->cache_key =
      cache::MakeCacheKey((*program.program)->fingerprint(), arguments, target->architecture,
                          engine_.parts().build_id, engine_.parts().compile_options);
  call->arguments = std::move(arguments);
  call->target = std::move(target);
  return call;
}

absl::Status SessionImpl::CheckDonated(const Resolved& resolved) {
  for (const uint32_t number : resolved.donated) {
    const auto it = handles_.find(resolved.handles[number]);
    if (it != handles_.end()) ACCELD_RETURN_IF_ERROR(TakeBack(it->first, it->second));
  }
  return absl::OkStatus();
}

std::vector<runtime::DonatedArgument> SessionImpl::Donate(const Resolved& resolved) {
  std::vector<runtime::DonatedArgument> out;
  if (resolved.donated.empty()) return out;
  absl::flat_hash_map<uint32_t, uint32_t> wishes;
  for (const ir::Donation& wish : (*resolved.program->program)->donations()) {
    if (wish.result.has_value()) wishes.emplace(wish.parameter, *wish.result);
  }
  for (const uint32_t number : resolved.donated) {
    runtime::DonatedArgument& donated = out.emplace_back();
    donated.argument = number;
    if (const auto wish = wishes.find(number); wish != wishes.end()) donated.result = wish->second;
    donated.donation = std::make_shared<runtime::Donation>(resolved.program->name,
                                                           resolved.inputs[number]->device());
    // The handle may have been released meanwhile.
    const auto named = handles_.find(resolved.handles[number]);
    if (named == handles_.end() || named->second.array != resolved.inputs[number]) continue;
    named->second.array.reset();
    named->second.donation = donated.donation;
  }
  return out;
}

void SessionImpl::DefineOutputs(absl::Span<const Handle> handles, uint32_t device,
                                Resolved& resolved) {
  if (resolved.error.ok()) {
    resolved.error =
        CheckOutputCount(*resolved.program->name, resolved.call->results->size(), handles.size());
  }
  if (resolved.error.ok()) resolved.error = CheckDonated(resolved);
  if (resolved.error.ok()) {
    resolved.loaded = resolved.call->loaded.lock();
    resolved.record = std::make_shared<ExecutionRecord>();
    resolved.record->fingerprint = (*resolved.program->program)->fingerprint();
    resolved.record->cache_key = resolved.call->cache_key;
    runtime::Execution execution;
    execution.donated = Donate(resolved);
    execution.inputs = std::move(resolved.inputs);
    execution.program_name = resolved.program->name;
    execution.execute_us =
        std::shared_ptr<std::atomic<double>>(resolved.record, &resolved.record->execute_us);
    execution.gang = resolved.gang;
    execution.participant = resolved.participant;
    resolved.task = runtime::Task::Create(std::move(execution));
    resolved.task->charge = std::move(resolved.charge);
    if (resolved.gang != nullptr) {
      resolved.gang->Add(engine_.executor(device), static_cast<int>(device), resolved.task);
    }
  }
  handles_charge_.Merge(std::move(resolved.handles_charge));
  for (size_t i = 0; i < handles.size(); ++i) {
    std::shared_ptr<runtime::Array> array =
        resolved.error.ok() ? std::make_shared<runtime::Array>((*resolved.call->results)[i],
                                                               static_cast<int>(device), account_)
                            : Poisoned(resolved.error, device);
    if (resolved.error.ok()) resolved.task->outputs.push_back(array);
    // An execution with host calls has side effects, so it is not cancelled for want of readers.
    const bool may_drop = resolved.error.ok() && resolved.host == nullptr;
    handles_.emplace(handles[i],
                     Named{may_drop ? engine_.executor(device).ReaderOf(resolved.task, array)
                                    : runtime::Array::ForReaders(array),
                           resolved.record, resolved.task});
  }
}

cache::Request SessionImpl::RequestFor(const std::shared_ptr<const Program>& program,
                                       const Call& call, Priority priority) const {
  return {
      .key = call.cache_key,
      .fingerprint = program->fingerprint(),
      .arguments = call.arguments,
      .architecture = call.target->architecture,
      .device = call.target->device,
      .compile = [engine = &engine_, program, arguments = call.arguments, target = call.target,
                  session = id_,
                  identity = identity_](const StopFlag& stop) -> absl::StatusOr<hal::Executable> {
        ACCELD_RETURN_IF_ERROR(identity->CheckCompile());
        std::vector<compiler::CompileStep> steps;
        const auto begin = std::chrono::steady_clock::now();
        absl::StatusOr<hal::Executable> executable = engine->parts().compile(
            program->module(), program->entry(), arguments, *target->generator, &steps, stop);
        identity->SpendOnCompile(std::chrono::steady_clock::now() - begin);
        TraceCompile(program->name(), session, begin, steps, executable.status(), engine->trace());
        if (!executable.ok()) return InProgram(executable.status(), program->fingerprint());
        return executable;
      },
      .with_room =
          [engine = &engine_, target = call.target, owner = identity_->meter(QuotaId::kHostMemory)](
              int64_t size_bytes, absl::FunctionRef<absl::Status()> load) {
            runtime::DeviceExecutor& executor =
                engine->executor(static_cast<uint32_t>(*target->device));
            return executor.WithRoomFor(size_bytes, owner.get(), load);
          },
      // Compiles for devices elsewhere get the lowest priority, so that they delay nothing here.
      .requester = {identity_->identity(),
                    call.target->device.has_value() ? priority : Priority::kBatch,
                    identity_->has_shares()}};
}

void SessionImpl::SetDeadline(const std::shared_ptr<runtime::Task>& task, const std::string& name,
                              uint32_t device, std::chrono::steady_clock::time_point deadline) {
  runtime::DeviceExecutor& executor = engine_.executor(device);
  const absl::Status reason = absl::DeadlineExceededError(
      absl::StrCat("program ", name, ": it was not done by its deadline"));
  if (deadline <= std::chrono::steady_clock::now()) return executor.Cancel(task, reason);
  TimerQueue& timers = engine_.timers();
  const uint64_t timer =
      timers.At(deadline, [&executor, weak = std::weak_ptr<runtime::Task>(task), reason] {
        if (const auto late = weak.lock(); late != nullptr) executor.Cancel(late, reason);
      });
  if (timer == 0) return executor.Cancel(task, TooManyDeadlines(name));
  if (task->outputs.empty()) return;
  task->outputs[0]->OnFinal([&timers, timer](const absl::Status&) { timers.Cancel(timer); });
}

absl::Status SessionImpl::TooManyDeadlines(const std::string& name) const {
  return absl::ResourceExhaustedError(absl::StrCat("program ", name, ": all of ",
                                                   engine_.options().max_deadlines,
                                                   " executions that may wait with a deadline do"));
}

void SessionImpl::Start(Resolved resolved, uint32_t device, const ExecuteOptions& options) {
  runtime::DeviceExecutor& executor = engine_.executor(device);
  cache::ExecutableCache& cache = engine_.executables();
  executions_.fetch_add(1, std::memory_order_relaxed);
  const Priority priority = options.priority.value_or(priority_);
  const std::shared_ptr<ExecutionRecord> record = resolved.record;
  const std::shared_ptr<runtime::Task> task = resolved.task;
  auto& execution = std::get<runtime::Execution>(task->work());

  const auto begin = std::chrono::steady_clock::now();
  execution.submitted_at = begin;
  execution.awaited = options.awaited;
  execution.host = std::move(resolved.host);
  cache::Request request;
  cache::ExecutableCache::Ticket ticket;
  if (resolved.loaded != nullptr) {
    cache.CountMemoryHit(*resolved.loaded);
    execution.executable = std::move(resolved.loaded);
    identity_->CountLookup(CacheVerdict::kMemory);
    record->verdict.store(CacheVerdict::kMemory, std::memory_order_relaxed);
  } else {
    request = RequestFor(*resolved.program->program, *resolved.call, priority);
    ticket = cache.Get(request);
    if (ticket.future.IsReady() && ticket.future.Await().ok()) {
      const cache::Result& result = *ticket.future.Await();
      execution.executable = result.executable;
      const CacheVerdict verdict = ticket.VerdictOf(result);
      identity_->CountLookup(verdict);
      record->verdict.store(verdict, std::memory_order_relaxed);
      MutexLock lock(mutex_);
      resolved.call->loaded = result.executable;
    }
  }
  const bool ready = execution.executable != nullptr;
  if (options.deadline.has_value()) {
    SetDeadline(task, *resolved.program->name, device, *options.deadline);
  }
  task->session = id_;
  if (const std::chrono::milliseconds limit = identity_->max_execution(); limit.count() > 0) {
    task->max_run = limit;
    task->max_run_error = Annotate(identity_->RefusalOfExecution(limit),
                                   absl::StrCat("program ", *resolved.program->name));
  }
  // Read before others can reach the task: who cancels it clears its outputs.
  const std::shared_ptr<runtime::Array> output = task->outputs.empty() ? nullptr : task->outputs[0];
  executor.Submit(QueueOf(device, priority), task, ready);
  if (ready) return;

  const auto interest = std::make_shared<CompileInterest>();
  // The executable is not needed any more when the execution is cancelled or late, or its session
  // has ended.
  if (output != nullptr) {
    output->OnFinal([interest](const absl::Status&) { interest->Withdraw(); });
  }
  OnExecutableFound(cache, std::move(request), ticket, identity_, interest,
                    [&executor, task, record, begin, identity = identity_](
                        const absl::StatusOr<cache::Result>& result, bool joined) {
                      const std::chrono::duration<double, std::milli> waited =
                          std::chrono::steady_clock::now() - begin;
                      record->compile_ms.store(waited.count(), std::memory_order_relaxed);
                      if (!result.ok()) return executor.Provide(task, result.status());
                      const CacheVerdict verdict =
                          joined ? CacheVerdict::kInflight : result->verdict;
                      identity->CountLookup(verdict);
                      record->verdict.store(verdict, std::memory_order_relaxed);
                      executor.Provide(task, result->executable);
                    });
}

}  // namespace acceld::engine
