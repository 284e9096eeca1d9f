#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/cache/compile_interest.h"
#include "server/engine/cache/executable_memory.h"
#include "server/engine/cache/explain.h"
#include "server/engine/engine_impl.h"
#include "server/engine/session/session_impl.h"

// Requests that are answered later: Compile, Await and Fetch.
namespace acceld::engine {
namespace {

// Arrays of at most this size are read on the thread that makes them final.
constexpr int64_t kSmallBytes = 64 << 10;

// Sets the argument types of a program for several processes, whose clients give none, and its
// signature. Leaves those of other programs as they are.
absl::Status UseProcessSignature(const Program& program, TypeList& arguments,
                                 std::shared_ptr<const ir::ProcessSignature>& signature) {
  if (program.num_processes() == 1) return absl::OkStatus();
  if (!arguments.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("program ", program.name(), ": ", arguments.size(),
                     " argument types are given, but it is "
                     "for ",
                     program.num_processes(), " processes, whose arguments it says itself"));
  }
  ACCELD_ASSIGN_OR_RETURN(signature, program.ProcessSignature());
  arguments = signature->arguments;
  arguments.push_back({ir::DType::kUI32, {}});  // the number of the process
  return absl::OkStatus();
}

}  // namespace

CompileResult SessionImpl::Partition(const Program& program, TypeList arguments) {
  CompileResult result;
  // Nothing is remembered, so each request takes its time.
  result.status = identity_->CheckCompile();
  if (!result.status.ok()) return result;
  const auto begin = std::chrono::steady_clock::now();
  result.status = UseProcessSignature(program, arguments, result.signature);
  if (result.status.ok()) {
    absl::StatusOr<ir::Module> partitioned = program.ProcessProgram();
    result.status = partitioned.status();
    if (partitioned.ok()) result.partitioned = *std::move(partitioned);
  }
  identity_->SpendOnCompile(std::chrono::steady_clock::now() - begin);
  return result;
}

absl::Status SessionImpl::Compile(ProgramId id, std::vector<ir::TensorType> arguments,
                                  uint32_t device, const CompileOptions& options,
                                  std::function<void(CompileResult)> done) {
  std::shared_ptr<RegisteredProgram> program;
  absl::Status error = CheckDevice(device);
  {
    MutexLock lock(mutex_);
    ACCELD_RETURN_IF_ERROR(CheckOpen());
    if (const auto it = programs_.find(id); it != programs_.end()) program = it->second;
  }
  if (error.ok() && program == nullptr) {
    error = absl::NotFoundError(absl::StrCat("program ", id, " is not registered"));
  }
  if (error.ok()) error = program->program.status();
  if (error.ok() && options.partition) {
    done(Partition(**program->program, arguments));
    return absl::OkStatus();
  }
  std::shared_ptr<const ir::ProcessSignature> signature;
  if (error.ok()) error = UseProcessSignature(**program->program, arguments, signature);
  for (const uint32_t number : options.donated) {
    if (error.ok() && number >= arguments.size()) {
      error = absl::InvalidArgumentError(
          absl::StrCat("argument ", number, " is to be donated, there are ", arguments.size()));
    }
  }
  absl::StatusOr<std::shared_ptr<Call>> call;
  if (error.ok()) {
    absl::StatusOr<CompileTargetPtr> target =
        options.target.empty() ? engine_.targets().OfDevice(device)
                               : engine_.targets().OfArchitecture(options.target);
    call = target.ok() ? MakeCall(*program, std::move(arguments), *std::move(target))
                       : target.status();
    error = call.status();
  }
  if (!error.ok()) {
    done({error, {}});
    return absl::OkStatus();
  }
  auto record = std::make_shared<ExecutionRecord>();
  record->fingerprint = (*program->program)->fingerprint();
  record->cache_key = (*call)->cache_key;
  const auto begin = std::chrono::steady_clock::now();
  const auto interest = std::make_shared<CompileInterest>();
  ACCELD_ASSIGN_OR_RETURN(const uint64_t request,
                          pending_->Add([done, interest](const absl::Status& status) {
                            interest->Withdraw();
                            done({status, {}});
                          }));
  cache::Request wanted = RequestFor(*program->program, **call, priority_);
  if (options.explain) {
    cache::EntryHeader header = engine_.executables().HeaderOf(wanted);
    header.program_name = (*program->program)->name();
    header.signature = hal::Executable{.arguments = wanted.arguments}.Signature();
    engine_.executables().Locate(
        header, [pending = pending_, request, record, header,
                 done = std::move(done)](const cache::ExecutableCache::EntryLocation& found) {
          if (!pending->Take(request)) return;
          done({absl::OkStatus(), InfoOf(record), Explain(header, found)});
        });
    return absl::OkStatus();
  }
  const auto ticket = engine_.executables().Get(wanted);
  OnExecutableFound(
      engine_.executables(), std::move(wanted), ticket, identity_, interest,
      [pending = pending_, request, record, begin, identity = identity_, name = program->name,
       wishes = (*program->program)->donations(), donated = options.donated, signature,
       done = std::move(done)](const absl::StatusOr<cache::Result>& result, bool joined) {
        if (!pending->Take(request)) return;
        const std::chrono::duration<double, std::milli> waited =
            std::chrono::steady_clock::now() - begin;
        if (!result.ok()) {
          record->compile_ms.store(waited.count(), std::memory_order_relaxed);
          return done({Annotate(result.status(), absl::StrCat("program ", *name)), InfoOf(record)});
        }
        const CacheVerdict verdict = joined ? CacheVerdict::kInflight : result->verdict;
        identity->CountLookup(verdict);
        if (verdict != CacheVerdict::kMemory) {
          record->compile_ms.store(waited.count(), std::memory_order_relaxed);
        }
        record->verdict.store(verdict, std::memory_order_relaxed);
        CompileResult compiled{absl::OkStatus(), InfoOf(record)};
        if (result->executable != nullptr) {
          compiled.memory = MemoryOf(*result->executable->executable, donated, wishes);
        }
        compiled.signature = signature;
        done(std::move(compiled));
      });
  return absl::OkStatus();
}

void SessionImpl::Await(Handle handle, const WaitOptions& options,
                        std::function<void(ReadyResult)> done) {
  const absl::StatusOr<Named> named = Find(handle);
  if (!named.ok()) return done({named.status(), {}});
  const absl::StatusOr<uint64_t> request =
      pending_->Add([done, record = named->record](const absl::Status& status) {
        done({status, InfoOf(record)});
      });
  if (!request.ok()) return done({request.status(), {}});
  named->array->OnFinal([pending = pending_, request = *request, record = named->record,
                         held = options.lapses ? nullptr : named->array,
                         done = std::move(done)](const absl::Status& status) {
    if (pending->Take(request)) done({status, InfoOf(record)});
  });
}

void SessionImpl::Fetch(Handle handle, const WaitOptions& options,
                        std::function<void(FetchResult)> done) {
  const absl::StatusOr<Named> named = Find(handle);
  if (!named.ok()) return done({named.status(), {}});
  const absl::StatusOr<uint64_t> request =
      pending_->Add([done, record = named->record](const absl::Status& status) {
        done({status, InfoOf(record)});
      });
  if (!request.ok()) return done({request.status(), {}});

  auto answer = [pending = pending_, request = *request, record = named->record,
                 done = std::move(done)](absl::StatusOr<HostArray> array) {
    if (pending->Take(request)) done({std::move(array), InfoOf(record)});
  };
  runtime::DeviceExecutor& executor =
      engine_.executor(static_cast<uint32_t>(named->array->device()));
  const auto download = [&executor, session = id_,
                         answer](const std::shared_ptr<runtime::Array>& array) {
    executor.Download(
        array,
        [array, answer](absl::StatusOr<SharedBytes> bytes) {
          if (!bytes.ok()) return answer(bytes.status());
          bytes->source = array;
          answer(HostArray{*array->type(), *std::move(bytes)});
        },
        session);
  };
  const bool small =
      named->array->type().has_value() && named->array->type()->size_bytes() <= kSmallBytes;
  named->array->OnFinal(
      [small, answer, download, engine = &engine_, identity = identity_, priority = priority_,
       cancelled = cancelled_, weak = std::weak_ptr<runtime::Array>(named->array),
       held = options.lapses ? nullptr : named->array](const absl::Status& status) {
        if (!status.ok()) return answer(status);
        if (cancelled->load()) return;  // Close has answered the request
        const std::shared_ptr<runtime::Array> array = weak.lock();
        if (array == nullptr) return answer(absl::CancelledError("the array was released"));
        if (small) return download(array);
        const absl::Status queued =
            engine->transfers().Submit({identity->identity(), priority, identity->has_shares()},
                                       [download, array] { download(array); });
        if (!queued.ok()) answer(queued);
      });
}

}  // namespace acceld::engine
