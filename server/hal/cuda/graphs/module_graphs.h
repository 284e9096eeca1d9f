#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/threads/mutex.h"
#include "kernels/cuda/program/places.h"
#include "kernels/cuda/program/segments.h"
#include "server/hal/cuda/graphs/graph.h"
#include "server/hal/cuda/graphs/graph_kernels.h"
#include "server/hal/cuda/graphs/place_table.h"

namespace acceld::hal::cuda {

// The graphs of one module for one stream, which uses them; made when they are wanted.
class StreamGraphs {
 public:
  // `runs`, which outlives it, is set to 0 when graphs had to be made anew.
  StreamGraphs(GraphParts parts, PlaceTable table, std::atomic<int>& runs)
      : parts_(parts), table_(std::move(table)), runs_(runs) {}

  // Enqueues that what is launched next finds the bases (kernels::cuda::Places) there.
  absl::Status Place(const std::vector<CuPointer>& bases, CuStream stream) const {
    return table_.Fill(parts_.context, parts_.kernels, bases, stream);
  }
  // Of a segment of the module's program, with its steps, for a run that has these addresses.
  // nullptr when it is not worth it: calls of libraries are captured when one run has the same
  // addresses as the last one, or when there are loops around them.
  absl::StatusOr<const Graph*> Find(const kernels::cuda::Segment& segment,
                                    absl::Span<const kernels::Step> steps,
                                    const Addresses& addresses);

 private:
  const GraphParts parts_;
  const PlaceTable table_;
  std::atomic<int>& runs_;
  struct OfSegment {
    std::unique_ptr<Graph> graph;
    size_t last_addresses = 0;  // a hash of those of its calls
  };
  // By the first step, and how many there are.
  absl::flat_hash_map<std::pair<const kernels::Step*, size_t>, OfSegment> segments_;
};

// What of a module's program is launched as graphs. A part of the module. Thread-safe.
class ModuleGraphs {
 public:
  // Without the kernels of `support` nothing is.
  ModuleGraphs(Context& context, const GraphSupport& support, const CudaModule& module,
               size_t num_arguments, size_t num_results);
  ~ModuleGraphs() { context_.stream_ends().Remove(listener_); }
  ModuleGraphs(const ModuleGraphs&) = delete;
  ModuleGraphs& operator=(const ModuleGraphs&) = delete;

  // Those of one of the program's lists of steps.
  const std::vector<kernels::cuda::Segment>& segments(const kernels::Steps& steps) const {
    return segments_.at(&steps);
  }
  const kernels::cuda::Places& places() const { return *places_; }
  // What the graphs of one stream take of the device: an estimate, for a node is the driver's.
  int64_t device_bytes() const { return device_bytes_; }

  // Whether a run has the host look at values of the device, to know how loops and branches go on.
  bool takes_host() const { return walks_ || (has_loops_ && failed_.load()); }
  // Whether a run goes on as long as its program says, with nobody in between.
  bool has_loops() const { return has_loops_; }
  // Whether the next run on `stream` may have to make graphs, which takes milliseconds.
  bool HasToPrepare(CuStream stream) const;

  // For a run on `stream`, which is the caller's: what it launches graphs by; nullptr when it goes
  // step by step. `is_first`: then only graphs with loops pay.
  StreamGraphs* Begin(CuStream stream, MemoryPool& memory, bool& is_first) const;
  // A graph for `stream` could not be made or launched: from now on the module goes step by step;
  // only this time, if it was for want of memory.
  void NoteFailure(const absl::Status& why, CuStream stream) const;

 private:
  struct OfStream {
    std::atomic<int> runs = 0;  // since graphs may have to be made: 2 for all from the second on
    std::unique_ptr<StreamGraphs> graphs;  // the stream's alone
  };

  // Fills `segments_` and `walks_`.
  void Cut(const kernels::Steps& steps, bool graphs);
  // Drops what is kept for a stream that ends.
  void Forget(CuStream stream);

  Context& context_;
  const GraphSupport& support_;
  const GraphKernels* kernels_ = nullptr;  // if there are graphs
  const CudaModule& module_;
  absl::flat_hash_map<const kernels::Steps*, std::vector<kernels::cuda::Segment>> segments_;
  absl::optional<kernels::cuda::Places> places_;  // if there are graphs
  bool walks_ = false, has_loops_ = false;
  int64_t device_bytes_ = 0;
  uint64_t listener_ = 0;  // in the context's StreamEnds, if there are graphs
  mutable std::atomic<bool> failed_ = false;
  mutable Mutex mutex_;
  mutable absl::flat_hash_map<CuStream, std::unique_ptr<OfStream>> of_streams_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
