#include "server/hal/cuda/streams/cuda_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/hal/check_range.h"
#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/nccl/run_collective.h"

namespace acceld::hal::cuda {
namespace {

constexpr unsigned int kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING
// Copies from the host of at most this size are made on the calling thread.
constexpr int64_t kInlineCopyBytes = 64 << 10;
// The stream keeps a workspace of at most this size; a larger one is freed after the run that needs
// it.
constexpr int64_t kMaxKeptWorkspaceBytes = 64 << 20;

CuPointer AddressOf(const Buffer& buffer) { return reinterpret_cast<CuPointer>(buffer.address()); }

}  // namespace

CudaStream::CudaStream(const std::string& name, StreamParts parts, StreamPriority priority)
    : parts_(std::move(parts)) {
  Context& context = *parts_.context;
  opened_ = context.Enter();
  if (opened_.ok()) {
    // Numbers are lower for higher priorities.
    int least = 0, greatest = 0;
    opened_ = context.Check(context.driver().cuCtxGetStreamPriorityRange(&least, &greatest),
                            "cuCtxGetStreamPriorityRange");
    if (opened_.ok()) {
      const int number = priority == StreamPriority::kHigh ? greatest : least;
      opened_ =
          context.Check(context.driver().cuStreamCreateWithPriority(&stream_, kNonBlocking, number),
                        "cuStreamCreateWithPriority");
    }
  }
  staging_ = std::make_unique<Staging>(parts_.context, stream_);
  completions_ =
      std::make_unique<Completions>(absl::StrCat(name, "-end"), parts_.context, parts_.pending);
  commands_ =
      std::make_unique<CommandQueue<Command>>(name, [this](Command& command) { Execute(command); });
}

CudaStream::~CudaStream() {
  commands_.reset();
  completions_.reset();
  staging_.reset();
  if (stream_ == nullptr) return;
  parts_.context->stream_listeners().NotifyDestroy(stream_);
  parts_.context->EnterForRelease();
  handles_.reset();
  cudnn_.reset();
  parts_.context->driver().cuStreamDestroy_v2(stream_);
}

void CudaStream::Wait(const Event& event) {
  if (event.IsReady()) return;
  if (commands_->BeginInline()) {
    const bool waits = WaitOnDevice(event);
    commands_->EndInline();
    if (waits) return;
  }
  commands_->Enqueue(WaitCommand{event});
}

bool CudaStream::WaitOnDevice(const Event& event) {
  const std::shared_ptr<const Fence> fence = parts_.pending->Find(event);
  if (fence == nullptr) return false;
  Context& context = *parts_.context;
  return opened_.ok() && context.Enter().ok() &&
         context
             .Check(context.driver().cuStreamWaitEvent(stream_, fence->end, 0), "cuStreamWaitEvent")
             .ok();
}

Event CudaStream::Run(Launch launch) {
  const auto& module = static_cast<const CudaModule&>(*launch.module);
  // Creating handles and graphs takes time, too.
  const bool takes_time = module.needs_host() || module.has_collectives() ||
                          (module.uses_handles() && !has_handles_.load()) ||
                          (module.uses_cudnn() && !has_cudnn_.load()) ||
                          module.graphs().MayBuildGraphs(stream_);
  WorkCommand command{.enqueue = [this](Work& work) { return EnqueueRun(work); },
                      .work = {.launch = std::move(launch),
                               .may_be_cancelled = module.polls() || module.needs_host()}};
  return Submit(std::move(command), takes_time);
}

absl::Status CudaStream::EnqueueRun(Work& work) {
  CudaGang* const gang = GangOf(work.launch);
  if (gang == nullptr) return EnqueueProgram(work);
  const int participant = work.launch.participant;
  absl::Status status = gang->Begin(participant);
  if (status.ok()) status = EnqueueProgram(work);
  gang->EndEnqueuing(participant, status);
  return status;
}

absl::Status CudaStream::EnqueueProgram(Work& work) {
  const auto& module = static_cast<const CudaModule&>(*work.launch.module);
  const int64_t wanted = module.workspace_bytes();
  if (wanted > kMaxKeptWorkspaceBytes) {
    ACCELD_ASSIGN_OR_RETURN(work.workspace, parts_.memory->Allocate(wanted));
  } else if (wanted > 0) {
    if (workspace_ == nullptr || workspace_->size_bytes() < wanted) {
      workspace_.reset();
      ACCELD_ASSIGN_OR_RETURN(workspace_, parts_.memory->Allocate(wanted));
    }
    work.workspace = workspace_;
  }
  if (module.has_device_routines() && handles_ == nullptr) {
    handles_ = std::make_unique<kernels::cuda::RoutineHandles>(
        module.libraries().routines().libraries(), stream_);
  }
  if (module.uses_handles() && !has_handles_.load()) {
    handles_->MakeAll();
    has_handles_.store(true);
  }
  if (module.uses_cudnn() && !has_cudnn_.load()) {
    if (cudnn_ == nullptr) {
      cudnn_ = std::make_unique<kernels::cuda::CudnnHandle>(
          *module.libraries().convolutions().library(), stream_);
    }
    ACCELD_RETURN_IF_ERROR(cudnn_->Get().status());
    has_cudnn_.store(true);
  }
  const RunParts parts{.context = *parts_.context,
                       .memory = *parts_.memory,
                       .counters = *parts_.counters,
                       .host_workspace = *parts_.host_workspace,
                       .workspace = wanted > 0 ? AddressOf(*work.workspace) : 0,
                       .handles = handles_.get(),
                       .cudnn = cudnn_.get(),
                       .stream = stream_};
  return RunProgram(parts, work.launch, *work.fence);
}

Event CudaStream::CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<Buffer> to,
                               int64_t offset_bytes, std::shared_ptr<const void> keep_alive) {
  if (absl::Status status =
          CheckRange("copy to the device", offset_bytes, size_bytes, to->size_bytes());
      !status.ok()) {
    return absl::StatusOr<Unit>(status);
  }
  const CuPointer address = AddressOf(*to) + static_cast<CuPointer>(offset_bytes);
  WorkCommand command{
      .enqueue =
          [this, from, address, size_bytes](const Work&) {
            return staging_->CopyIn(static_cast<const char*>(from), address, size_bytes);
          },
      .work = {.launch = {.results = {std::move(to)}}, .host_memory = std::move(keep_alive)},
      .is_staged = true};
  return Submit(std::move(command), size_bytes > kInlineCopyBytes);
}

Event CudaStream::CopyToHost(std::shared_ptr<Buffer> from, void* to,
                             std::shared_ptr<void> keep_alive) {
  WorkCommand command{
      .enqueue =
          [this, to](const Work& work) {
            const Buffer& source = *work.launch.arguments[0];
            return staging_->CopyOut(AddressOf(source), static_cast<char*>(to),
                                     source.size_bytes());
          },
      .work = {.launch = {.arguments = {std::move(from)}}, .host_memory = std::move(keep_alive)}};
  return Submit(std::move(command), /*takes_time=*/true);
}

Event CudaStream::CopyFromPeer(std::shared_ptr<Buffer> from, std::shared_ptr<Buffer> to) {
  if (absl::Status status = CheckRange("copy from a peer", 0, from->size_bytes(), to->size_bytes());
      !status.ok()) {
    return absl::StatusOr<Unit>(status);
  }
  // Memory of another kind of device is copied from where the host can read it.
  const bool is_host = from->host_address() != nullptr;
  WorkCommand command{
      .enqueue =
          [this, is_host](const Work& work) {
            const Buffer& source = *work.launch.arguments[0];
            const CuPointer target = AddressOf(*work.launch.results[0]);
            if (is_host) {
              return staging_->CopyIn(static_cast<const char*>(source.host_address()), target,
                                      source.size_bytes());
            }
            return parts_.peers->Copy(*parts_.context, target, AddressOf(source),
                                      source.size_bytes(), stream_);
          },
      .work = {.launch = {.arguments = {std::move(from)}, .results = {std::move(to)}}}};
  return Submit(std::move(command), is_host);
}

Event CudaStream::Submit(WorkCommand command, bool takes_time) {
  Event done = command.work.done.future();
  if (!takes_time && commands_->BeginInline()) {
    // The calling thread must not wait for earlier work of the stream.
    const bool now = !command.is_staged || staging_->NextIsIdle();
    if (now) Issue(command);
    commands_->EndInline();
    if (now) return done;
  }
  commands_->Enqueue(std::move(command));
  return done;
}

void CudaStream::Execute(Command& command) {
  if (auto* wait = std::get_if<WaitCommand>(&command)) {
    // An error of the event does not fail this stream; readers of the event's own result see it.
    if (!WaitOnDevice(wait->event)) (void)wait->event.Await();
  } else {
    Issue(std::get<WorkCommand>(command));
  }
}

void CudaStream::Issue(WorkCommand& command) {
  command.work.error = Enqueue(command);
  completions_->Add(std::move(command.work));
}

absl::Status CudaStream::Enqueue(WorkCommand& command) {
  Work& work = command.work;
  RunControl* const control = work.launch.control.get();
  // A gang decides itself whether a participant may leave.
  if (control != nullptr && control->cancelled().load() && work.launch.gang == nullptr) {
    return absl::CancelledError("launch: cancelled before it began");
  }
  ACCELD_RETURN_IF_ERROR(opened_);
  Context& context = *parts_.context;
  ACCELD_RETURN_IF_ERROR(context.Enter());
  ACCELD_ASSIGN_OR_RETURN(work.fence, parts_.fences->Take());
  absl::Status status =
      context.Check(context.driver().cuEventRecord(work.fence->begin, stream_), "cuEventRecord");
  if (status.ok()) status = command.enqueue(work);
  // The end is recorded also after an error, since the part that was enqueued still runs.
  const absl::Status ends =
      context.Check(context.driver().cuEventRecord(work.fence->end, stream_), "cuEventRecord");
  return status.ok() ? ends : status;
}

}  // namespace acceld::hal::cuda
