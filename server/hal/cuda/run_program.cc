#include "server/hal/cuda/run_program.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "kernels/cpu/run_routine.h"
#include "server/hal/cuda/graphs/run_addresses.h"
#include "server/hal/cuda/nccl/run_collective.h"

namespace acceld::hal::cuda {
namespace {

using kernels::Slice;

// Device addresses that are passed to a kernel or a routine. Up to 16 need no allocation.
using Pointers = absl::InlinedVector<CuPointer, 16>;

// The number of threads of a routine that runs on the host.
const int kRoutineThreads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));

class Run {
 public:
  Run(const RunParts& parts, const Launch& launch, const Fence& fence)
      : parts_(parts),
        context_(parts.context),
        driver_(context_.driver()),
        stream_(parts.stream),
        launch_(launch),
        module_(static_cast<const CudaModule&>(*launch.module)),
        fence_(fence),
        addresses_(launch, fence, parts.workspace),
        graphs_(module_.graphs().Begin(stream_, parts.memory, is_first_)) {}

  absl::Status Enqueue(const kernels::Steps& steps) {
    return EnqueueSegments(steps, module_.graphs().segments(steps));
  }

 private:
  absl::Status EnqueueSegments(const kernels::Steps& steps,
                               const std::vector<kernels::cuda::Segment>& segments) {
    for (const kernels::cuda::Segment& segment : segments) {
      const absl::Span<const kernels::Step> part =
          absl::MakeSpan(steps).subspan(segment.begin, segment.end - segment.begin);
      bool is_launched = false;
      if (graphs_ != nullptr && segment.is_graph && (segment.has_loops || !is_first_)) {
        ACCELD_ASSIGN_OR_RETURN(is_launched, LaunchGraph(segment, part));
      }
      if (is_launched) continue;
      ACCELD_RETURN_IF_ERROR(segment.pieces.empty() ? EnqueueEach(part)
                                                    : EnqueueSegments(steps, segment.pieces));
    }
    return absl::OkStatus();
  }

  absl::Status EnqueueEach(absl::Span<const kernels::Step> steps) {
    for (const kernels::Step& step : steps) {
      parts_.counters.steps.fetch_add(1, std::memory_order_relaxed);
      const absl::Status status =
          std::visit([this](const auto& value) { return Do(value); }, step.value);
      if (!status.ok()) return Annotate(status, step.comment);
    }
    return absl::OkStatus();
  }

  // Launches a segment as a graph. Returns false when there is no graph for this run, so that the
  // steps have to be enqueued one by one.
  absl::StatusOr<bool> LaunchGraph(const kernels::cuda::Segment& segment,
                                   absl::Span<const kernels::Step> steps) {
    const absl::StatusOr<const Graph*> graph = graphs_->Find(segment, steps, addresses_);
    if (!graph.ok()) return DisableGraphs(graph.status());
    if (*graph == nullptr) return false;
    absl::Status launched;
    if (!std::exchange(is_table_filled_, true))
      launched = graphs_->FillAddressTable(addresses_.Bases(), stream_);
    // The launch may be the first call to fail if the driver cannot run the graph or lacks memory.
    if (launched.ok()) {
      launched = context_.Check(driver_.cuGraphLaunch((*graph)->exec(), stream_), "cuGraphLaunch");
    }
    if (!launched.ok()) return DisableGraphs(launched);
    parts_.counters.graphs.fetch_add(1, std::memory_order_relaxed);
    return true;
  }

  // Makes the run continue without graphs, because of `why`. Returns false, or the error of a lost
  // device.
  absl::StatusOr<bool> DisableGraphs(const absl::Status& why) {
    ACCELD_RETURN_IF_ERROR(context_.lost());
    module_.graphs().RecordFailure(why, stream_);
    graphs_ = nullptr;
    return false;
  }

  absl::Status Do(const kernels::LaunchStep& step) {
    const kernels::cuda::CudaEntry& kernel = module_.program().kernels[step.kernel];
    Pointers values;
    for (const Slice& buffer : step.buffers) values.push_back(addresses_.Of(buffer));
    if (kernel.polls) values.push_back(addresses_.cancelled());
    absl::InlinedVector<void*, 16> parameters;
    for (CuPointer& value : values) parameters.push_back(&value);
    return context_.Check(driver_.cuLaunchKernel(module_.function(step.kernel),
                                                 static_cast<unsigned int>(kernel.blocks), 1, 1,
                                                 static_cast<unsigned int>(kernel.threads), 1, 1, 0,
                                                 stream_, parameters.data(), nullptr),
                          "cuLaunchKernel");
  }

  absl::Status Do(const kernels::MatmulStep& step) {
    return module_.matmul(step).Enqueue(addresses_.Of(step), stream_);
  }

  absl::Status Do(const kernels::ConvolutionStep& step) {
    ACCELD_ASSIGN_OR_RETURN(const kernels::cuda::Cudnn::Handle handle, parts_.cudnn->Get());
    return module_.convolution(step).Enqueue({.lhs = addresses_.Of(step.lhs),
                                              .rhs = addresses_.Of(step.rhs),
                                              .out = addresses_.Of(step.out),
                                              .workspace = addresses_.workspace()},
                                             handle);
  }

  absl::Status Do(const kernels::CopyStep& step) {
    return Copy(addresses_.Of(step.to), addresses_.Of(step.from), step.from.size_bytes);
  }

  absl::Status Do(const kernels::WhileStep& step) {
    while (true) {
      ACCELD_RETURN_IF_ERROR(Enqueue(step.condition));
      ACCELD_ASSIGN_OR_RETURN(const int32_t goes_on, Read(step.predicate));
      if (goes_on == 0) return absl::OkStatus();
      ACCELD_RETURN_IF_ERROR(Enqueue(step.body));
    }
  }

  absl::Status Do(const kernels::SwitchStep& step) {
    ACCELD_ASSIGN_OR_RETURN(const int32_t index, Read(step.index));
    const auto last = static_cast<int32_t>(step.branches.size()) - 1;
    const int32_t branch = step.index_is_predicate     ? (index != 0 ? 0 : 1)
                           : index < 0 || index > last ? last
                                                       : index;
    return Enqueue(step.branches[static_cast<size_t>(branch)]);
  }

  absl::Status Do(const kernels::RoutineStep& step) {
    if (const auto* routine = module_.routine(step)) return RunOnDevice(step, *routine);
    HostWorkspace workspace(parts_.host_workspace);
    absl::Status status = RunOnHost(step, workspace);
    // After an error, copies between the device and this memory may still be in progress.
    if (!status.ok()) driver_.cuStreamSynchronize(stream_);
    return status;
  }

  absl::Status RunOnDevice(const kernels::RoutineStep& step,
                           const kernels::cuda::DeviceRoutine& routine) {
    Pointers operands, results;
    for (const Slice& operand : step.operands) operands.push_back(addresses_.Of(operand));
    for (const Slice& result : step.results) results.push_back(addresses_.Of(result));
    const absl::Status status = routine.enqueue({.operands = operands,
                                                 .results = results,
                                                 .workspace = parts_.workspace,
                                                 .handles = parts_.handles,
                                                 .cancelled = cancelled()});
    return status.ok() ? status : Annotate(status, NameOf(step.call.routine));
  }

  // Copies the operands to the host, computes the routine there, and copies the results back.
  absl::Status RunOnHost(const kernels::RoutineStep& step, HostWorkspace& workspace) {
    std::vector<void*> buffers;
    for (const Slice& operand : step.operands) {
      ACCELD_ASSIGN_OR_RETURN(char* const memory, workspace.Add(operand.size_bytes));
      buffers.push_back(memory);
      ACCELD_RETURN_IF_ERROR(
          Copy(reinterpret_cast<CuPointer>(memory), addresses_.Of(operand), operand.size_bytes));
    }
    for (const Slice& result : step.results) {
      ACCELD_ASSIGN_OR_RETURN(char* const memory, workspace.Add(result.size_bytes));
      buffers.push_back(memory);
    }
    ACCELD_RETURN_IF_ERROR(AwaitAll());
    static constexpr bool kNever = false;
    RunControl* const control = launch_.control.get();
    ACCELD_RETURN_IF_ERROR(kernels::cpu::RunRoutineOnHost(
        step.call, buffers.data(), &module_.libraries().host_runtime(), kRoutineThreads,
        control != nullptr ? reinterpret_cast<const volatile bool*>(&control->interrupted())
                           : &kNever,
        control));
    for (size_t i = 0; i < step.results.size(); ++i) {
      const Slice& result = step.results[i];
      ACCELD_RETURN_IF_ERROR(Copy(addresses_.Of(result),
                                  reinterpret_cast<CuPointer>(buffers[step.operands.size() + i]),
                                  result.size_bytes));
    }
    return AwaitAll();
  }

  absl::Status Do(const kernels::HostCallStep& step) {
    if (launch_.host == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat(ToString(step.call), ": there is nobody to ask"));
    }
    absl::Status status = CallHost(step, *launch_.host);
    // After an error, copies between the device and the host may still be in progress.
    if (!status.ok()) driver_.cuStreamSynchronize(stream_);
    return status;
  }

  // Waits until the device has computed the operands, calls the host, and copies its results to the
  // device. Other runs use the device during the call.
  absl::Status CallHost(const kernels::HostCallStep& step, HostCalls& host) {
    std::vector<SharedBytes> operands;
    for (const Slice& slice : step.operands) {
      SharedBytes& operand = operands.emplace_back();
      if (slice.size_bytes == 0) continue;
      ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<char> copy, host.Allocate(slice.size_bytes));
      ACCELD_RETURN_IF_ERROR(
          Copy(reinterpret_cast<CuPointer>(copy.get()), addresses_.Of(slice), slice.size_bytes));
      operand.view = {copy.get(), static_cast<size_t>(slice.size_bytes)};
      operand.owner = std::move(copy);
    }
    ACCELD_RETURN_IF_ERROR(AwaitAll());
    ACCELD_ASSIGN_OR_RETURN(const std::vector<HostValue> values,
                            host.Call(step.call, std::move(operands)));
    for (size_t i = 0; i < step.results.size(); ++i) {
      const Slice& slice = step.results[i];
      const auto from = values[i].buffer != nullptr
                            ? reinterpret_cast<CuPointer>(values[i].buffer->address())
                            : reinterpret_cast<CuPointer>(values[i].bytes.view.data());
      ACCELD_RETURN_IF_ERROR(Copy(addresses_.Of(slice), from, slice.size_bytes));
    }
    // The copies must have ended before the memory of `values` is released.
    return values.empty() ? absl::OkStatus() : AwaitAll();
  }

  absl::Status Do(const kernels::CollectiveStep& step) {
    Pointers operands, results;
    for (const Slice& operand : step.operands) operands.push_back(addresses_.Of(operand));
    for (const Slice& result : step.results) results.push_back(addresses_.Of(result));
    return RunCollective(
        {.context = context_, .stream = stream_, .launch = launch_, .scratch = parts_.workspace},
        step.collective, module_.collective(step), operands, results);
  }

  template <typename Other>
  absl::Status Do(const Other&) {
    // CheckProgram rejects programs with other steps.
    return absl::InternalError("a step that CUDA programs have not");
  }

  // Waits for all work that was enqueued so far, and returns the integer of one or four bytes at
  // `slice`.
  absl::StatusOr<int32_t> Read(const Slice& slice) {
    fence_.shared->chosen = 0;
    ACCELD_RETURN_IF_ERROR(Copy(reinterpret_cast<CuPointer>(&fence_.shared->chosen),
                                addresses_.Of(slice), slice.size_bytes));
    ACCELD_RETURN_IF_ERROR(AwaitAll());
    return fence_.shared->chosen;
  }

  // Waits for all work that was enqueued so far.
  absl::Status AwaitAll() {
    ACCELD_RETURN_IF_ERROR(
        context_.Check(driver_.cuEventRecord(fence_.end, stream_), "cuEventRecord"));
    CudaGang* const gang = GangOf(launch_);
    std::function<void()> poll;
    if (gang != nullptr) {
      gang->BeginWait(launch_.participant);
      poll = [this] { PollGang(launch_); };
    }
    ACCELD_RETURN_IF_ERROR(Await(context_, fence_, cancelled(), poll));
    // The run may pause here, where the device has no work of it.
    RunControl* const control = launch_.control.get();
    const bool goes_on =
        control == nullptr || !control->interrupted().load() || control->WaitWhilePaused();
    // A gang decides itself whether a participant may leave.
    if (gang != nullptr) return gang->EndWait(launch_.participant);
    return goes_on ? absl::OkStatus() : absl::CancelledError("launch: cancelled");
  }

  // The flag that says that the run is cancelled; nullptr if it cannot be cancelled.
  const std::atomic<bool>* cancelled() const {
    if (launch_.gang != nullptr) return &GangOf(launch_)->stops_kernels();
    return launch_.control != nullptr ? &launch_.control->cancelled() : nullptr;
  }

  absl::Status Copy(CuPointer to, CuPointer from, int64_t size_bytes) {
    if (size_bytes == 0 || to == from) return absl::OkStatus();
    return context_.Check(driver_.cuMemcpyAsync(to, from, static_cast<size_t>(size_bytes), stream_),
                          "cuMemcpyAsync");
  }

  const RunParts& parts_;
  Context& context_;
  const Driver& driver_;
  const CuStream stream_;
  const Launch& launch_;
  const CudaModule& module_;
  const Fence& fence_;
  const RunAddresses addresses_;
  bool is_first_ = false;
  StreamGraphs* graphs_;
  bool is_table_filled_ = false;
};

}  // namespace

absl::Status RunProgram(const RunParts& parts, const Launch& launch, const Fence& fence) {
  const auto& module = static_cast<const CudaModule&>(*launch.module);
  if (module.has_collectives()) ACCELD_RETURN_IF_ERROR(JoinCommunicator(launch));
  return Run(parts, launch, fence).Enqueue(module.program().steps);
}

}  // namespace acceld::hal::cuda
