#pragma once

#include <memory>
#include <string>

#include "common/threads/future.h"
#include "server/hal/command_queue.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/streams/fences.h"
#include "server/hal/cuda/streams/pending_events.h"
#include "server/hal/device.h"

namespace acceld::hal::cuda {

// Work that a stream was given, until it has ended.
struct Work {
  // What it uses. Of a copy only `arguments` and `results` are set.
  Launch launch;
  std::shared_ptr<const void> host_memory;
  std::shared_ptr<Buffer> workspace;
  bool may_be_cancelled = false;       // while it runs
  std::shared_ptr<const Fence> fence;  // recorded; nullptr when nothing was enqueued
  absl::Status error;                  // of enqueuing it
  Promise<Unit> done;
};

// Waits for the work of one stream, in its order, on a thread of its own; then lets go of what the
// work used, and says that it is done. The destructor waits for all of it.
class Completions {
 public:
  Completions(const std::string& name, std::shared_ptr<Context> context,
              std::shared_ptr<PendingEvents> pending)
      : context_(std::move(context)),
        pending_(std::move(pending)),
        works_(name, [this](Work& work) { Finish(work); }) {}

  void Add(Work work);

 private:
  absl::Status AwaitEnd(const Work& work);
  void Finish(Work& work);

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<PendingEvents> pending_;
  CommandQueue<Work> works_;
};

}  // namespace acceld::hal::cuda
