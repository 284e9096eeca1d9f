#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "common/threads/future.h"
#include "kernels/cuda/cudnn/cudnn.h"
#include "kernels/cuda/routines/routine_handles.h"
#include "server/hal/command_queue.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/driver/peers.h"
#include "server/hal/cuda/run_program.h"
#include "server/hal/cuda/streams/completions.h"
#include "server/hal/cuda/streams/fence_pool.h"
#include "server/hal/cuda/streams/pending_events.h"
#include "server/hal/cuda/streams/staging.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// The objects that all streams of a device share. `pending`, `peers` and `host_workspace` are also
// shared with the other devices that were opened together.
struct StreamParts {
  std::shared_ptr<Context> context;
  std::shared_ptr<MemoryPool> memory;
  std::shared_ptr<FencePool> fences;
  std::shared_ptr<PendingEvents> pending;
  std::shared_ptr<Peers> peers;
  std::shared_ptr<HostWorkspaceBudget> host_workspace;
  std::shared_ptr<LaunchCounters> counters = std::make_shared<LaunchCounters>();
};

// A CUDA stream. Work that can be enqueued quickly (launches, small copies) is enqueued on the
// calling thread. Work that takes time of the host (large copies, programs that wait for values on
// the device or exchange values with other devices) is enqueued by a worker thread, and so is all
// work behind it. Events become ready on a third thread (Completions).
//
// Thread-safe. Modules that are passed to Run must be CudaModules. The destructor blocks until all
// work has ended.
class CudaStream final : public Stream {
 public:
  // If the driver cannot create the stream, all work of the stream fails with the driver's error.
  CudaStream(const std::string& name, StreamParts parts,
             StreamPriority priority = StreamPriority::kNormal);
  ~CudaStream() override;

  void Wait(const Event& event) override;
  Event Run(Launch launch) override;
  Event CopyFromHost(const void* from, int64_t size_bytes, std::shared_ptr<Buffer> to,
                     int64_t offset_bytes, std::shared_ptr<const void> keep_alive) override;
  Event CopyToHost(std::shared_ptr<Buffer> from, void* to,
                   std::shared_ptr<void> keep_alive) override;
  Event CopyFromPeer(std::shared_ptr<Buffer> from, std::shared_ptr<Buffer> to) override;
  // Does nothing, since runs use the GPU and not the host's processors.
  bool SetLowPriority(bool /*low_priority*/) override { return true; }

 private:
  struct WaitCommand {
    Event event;
  };
  // A run or a copy, with the function that enqueues it on the driver's stream.
  struct WorkCommand {
    std::function<absl::Status(Work&)> enqueue;
    Work work;
    bool is_staged = false;  // whether it needs a slot of staging_
  };
  using Command = std::variant<WaitCommand, WorkCommand>;

  // Issues the command on the calling thread if the stream is idle and `takes_time` is false, and
  // otherwise on the worker thread. Returns the event of its work.
  Event Submit(WorkCommand command, bool takes_time);
  // Executes a command on the worker thread.
  void Execute(Command& command);
  // Enqueues the work of a command on the driver's stream, and passes it on to completions_.
  void Issue(WorkCommand& command);
  // Enqueues the work of a command between the two events of a fence.
  absl::Status Enqueue(WorkCommand& command);
  // Enqueues a run, and tells the gang of the launch.
  absl::Status EnqueueRun(Work& work);
  // Enqueues a run; creates the workspace and the library handles that it needs first.
  absl::Status EnqueueProgram(Work& work);
  // Makes the driver's stream wait for `event`. Returns false if the device cannot wait for it, so
  // that the host has to.
  bool WaitOnDevice(const Event& event);

  const StreamParts parts_;
  CuStream stream_ = nullptr;
  absl::Status opened_;  // whether stream_ could be created
  std::unique_ptr<Staging> staging_;
  // The workspace is shared with the work that uses it. The library handles are created for the
  // first run that needs them; has_handles_ is true once creation was tried, though it may have
  // failed for some libraries.
  std::shared_ptr<Buffer> workspace_;
  std::unique_ptr<kernels::cuda::RoutineHandles> handles_;
  std::atomic<bool> has_handles_ = false;
  std::unique_ptr<kernels::cuda::CudnnHandle> cudnn_;
  std::atomic<bool> has_cudnn_ = false;
  // The order matters: the queue passes work on to completions_, so it is destroyed first.
  std::unique_ptr<Completions> completions_;
  std::unique_ptr<CommandQueue<Command>> commands_;
};

}  // namespace acceld::hal::cuda
