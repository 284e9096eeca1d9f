#pragma once

#include <memory>
#include <string>

#include "common/threads/future.h"
#include "server/hal/command_queue.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/streams/fence_pool.h"
#include "server/hal/cuda/streams/pending_events.h"
#include "server/hal/device.h"

namespace acceld::hal::cuda {

// A run or a copy that was given to a stream, with everything that it uses until it has ended.
struct Work {
  // For a copy, only `arguments` (the source) and `results` (the target) are set.
  Launch launch;
  std::shared_ptr<const void> host_memory;  // the owner of the host memory of a copy
  std::shared_ptr<Buffer> workspace;        // for the library calls of a run; may be nullptr
  bool may_be_cancelled = false;            // whether the work polls for cancellation while it runs
  std::shared_ptr<const Fence> fence;       // nullptr if nothing was enqueued on the device
  absl::Status error;                       // of enqueuing the work
  Promise<Unit> done;                       // sets the event that the stream returned
};

// Waits for the work of one stream, in the order of the stream, on a separate thread. When work has
// ended, drops the references to everything that the work used, and then sets its event. The
// destructor blocks until all work has ended.
class Completions {
 public:
  Completions(const std::string& name, std::shared_ptr<Context> context,
              std::shared_ptr<PendingEvents> pending)
      : context_(std::move(context)),
        pending_(std::move(pending)),
        works_(name, [this](Work& work) { Finish(work); }) {}

  // Adds work behind the work that was added before, without waiting for it.
  void Add(Work work);

 private:
  // Blocks until the work has ended, and returns its error. Polls the gang of a launch meanwhile.
  // Stores its duration if that is wanted.
  absl::Status AwaitEnd(const Work& work);
  // Waits for the work, drops its references and sets its event.
  void Finish(Work& work);

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<PendingEvents> pending_;
  CommandQueue<Work> works_;
};

}  // namespace acceld::hal::cuda
