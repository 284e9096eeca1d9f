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
#include "server/hal/cuda/streams/fences.h"
#include "server/hal/cuda/streams/pending_events.h"
#include "server/hal/cuda/streams/staging.h"
#include "server/hal/device.h"
#include "server/hal/memory_pool.h"

namespace acceld::hal::cuda {

// What streams of a device share.
struct StreamParts {
  std::shared_ptr<Context> context;
  std::shared_ptr<MemoryPool> memory;
  std::shared_ptr<Fences> fences;
  std::shared_ptr<PendingEvents> pending;
  std::shared_ptr<Peers> peers;
  std::shared_ptr<LaunchCounters> counters = std::make_shared<LaunchCounters>();
};

// A stream of the driver. The calling thread gives it what is enqueued at once (launches, small
// copies); what takes the host's time (large copies, programs that wait for values of the device)
// goes by a worker thread, and all that comes after it. Events become ready on a third thread.
//
// Thread-safe. Modules handed to Run must be CudaModules. The destructor finishes what is queued.
class CudaStream final : public Stream {
 public:
  // A stream that the driver does not give is one whose work fails.
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
  // The stream uses the GPU, not the host's processors.
  bool SetGivesWay(bool /*gives_way*/) override { return true; }

 private:
  struct WaitCommand {
    Event event;
  };
  // Enqueues work on the stream.
  struct WorkCommand {
    std::function<absl::Status(Work&)> enqueue;
    Work work;
    bool is_staged = false;  // goes through the pinned memory
  };
  using Command = std::variant<WaitCommand, WorkCommand>;

  Event Submit(WorkCommand command, bool takes_time);
  void Execute(Command& command);
  void Issue(WorkCommand& command);
  absl::Status Enqueue(WorkCommand& command);
  absl::Status EnqueueRun(Work& work);
  // Makes the driver's stream wait for it; false when only the host can.
  bool WaitOnDevice(const Event& event);

  const StreamParts parts_;
  CuStream stream_ = nullptr;
  absl::Status opened_;
  std::unique_ptr<Staging> staging_;
  std::shared_ptr<Buffer> workspace_;                       // Shared with the work that uses it.
  std::unique_ptr<kernels::cuda::RoutineHandles> handles_;  // from the first run with routines
  std::atomic<bool> has_handles_ = false;                   // Some may have failed.
  std::unique_ptr<kernels::cuda::CudnnHandle> cudnn_;       // from the first run with it
  std::atomic<bool> has_cudnn_ = false;
  // In this order: the queue gives to the other, which outlives it.
  std::unique_ptr<Completions> completions_;
  std::unique_ptr<CommandQueue<Command>> commands_;
};

}  // namespace acceld::hal::cuda
