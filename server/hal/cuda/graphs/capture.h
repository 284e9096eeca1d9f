#pragma once

#include <utility>

#include "absl/functional/function_ref.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// What a library enqueued, as a graph to make a node of. Goes before the context does.
class CapturedGraph {
 public:
  CapturedGraph(Context& context, CuGraph graph) : context_(&context), graph_(graph) {}
  ~CapturedGraph() {
    if (graph_ != nullptr) context_->driver().cuGraphDestroy(graph_);
  }
  CapturedGraph(CapturedGraph&& other) noexcept
      : context_(other.context_), graph_(std::exchange(other.graph_, nullptr)) {}
  CapturedGraph& operator=(CapturedGraph&&) = delete;

  CuGraph get() const { return graph_; }

 private:
  Context* const context_;
  CuGraph graph_;
};

// A stream on which nothing ever runs, for libraries to say what they would enqueue. Thread-safe.
class Capture {
 public:
  // The context outlives it.
  explicit Capture(Context& context) : context_(context) {}
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // What `enqueue` puts on the stream that it is given. Its error, or the driver's. The thread is
  // one that works with the device.
  absl::StatusOr<CapturedGraph> Of(absl::FunctionRef<absl::Status(CuStream)> enqueue) const;

 private:
  Context& context_;
  mutable Mutex mutex_;
  mutable CuStream stream_ ABSL_GUARDED_BY(mutex_) = nullptr;  // made when first wanted
};

}  // namespace acceld::hal::cuda
