#pragma once

#include <utility>

#include "absl/functional/function_ref.h"
#include "common/threads/mutex.h"
#include "server/hal/cuda/driver/context.h"

namespace acceld::hal::cuda {

// Owns a CUDA graph of the work that a library call enqueued during a capture. A larger graph gets
// a copy of it as a node. Must be destroyed before the context.
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

// Records the work that a library call enqueues on a stream as a CUDA graph, without executing it
// (stream capture). Thread-safe: a mutex lets one capture run at a time.
class GraphCapture {
 public:
  // The context must outlive the object.
  explicit GraphCapture(Context& context) : context_(context) {}
  ~GraphCapture();
  GraphCapture(const GraphCapture&) = delete;
  GraphCapture& operator=(const GraphCapture&) = delete;

  // Calls `enqueue` with a stream, and returns the work that `enqueue` enqueued on it as a graph.
  // The device's context must be current on the calling thread. Returns the error of `enqueue`, or
  // of the driver.
  absl::StatusOr<CapturedGraph> Of(absl::FunctionRef<absl::Status(CuStream)> enqueue) const;

 private:
  Context& context_;
  mutable Mutex mutex_;
  mutable CuStream stream_ ABSL_GUARDED_BY(mutex_) = nullptr;  // created by the first capture
};

}  // namespace acceld::hal::cuda
