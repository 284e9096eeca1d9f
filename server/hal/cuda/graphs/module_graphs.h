#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "common/threads/mutex.h"
#include "kernels/cuda/program/buffer_locations.h"
#include "kernels/cuda/program/segments.h"
#include "server/hal/cuda/graphs/address_table.h"
#include "server/hal/cuda/graphs/graph.h"
#include "server/hal/cuda/graphs/graph_kernels.h"

namespace acceld::hal::cuda {

// The graphs of one module for one stream. Each graph is built when it is first needed. Used only
// by the thread that enqueues the runs of the stream.
class StreamGraphs {
 public:
  // `runs` is the counter of runs on the stream (ModuleGraphs::StreamState), which Find sets to 0
  // when it has to build a graph again. `runs` must outlive the object.
  StreamGraphs(GraphParts parts, AddressTable table, std::atomic<int>& runs)
      : parts_(parts), table_(std::move(table)), runs_(runs) {}

  // Enqueues kernels that compute the addresses of all buffers from `bases`
  // (kernels::cuda::BufferLocations), for the graphs that are launched next on the stream.
  absl::Status FillAddressTable(const std::vector<CuPointer>& bases, CuStream stream) const {
    return table_.Fill(parts_.context, parts_.kernels, bases, stream);
  }
  // Returns the graph of `segment`, which consists of `steps`, for a run with `addresses`. Returns
  // nullptr if a graph is not worth building: library calls are captured with fixed addresses, so a
  // segment with calls and without loops gets a graph only once two runs in a row have the same
  // addresses. Also returns the errors of Graph::Build.
  absl::StatusOr<const Graph*> Find(const kernels::cuda::Segment& segment,
                                    absl::Span<const kernels::Step> steps,
                                    const RunAddresses& addresses);

 private:
  const GraphParts parts_;
  const AddressTable table_;
  std::atomic<int>& runs_;
  struct SegmentState {
    std::unique_ptr<Graph> graph;
    size_t last_addresses = 0;  // hash of the addresses of its library calls in the last run
  };
  // Keyed by the address of the first step, and the number of steps.
  absl::flat_hash_map<std::pair<const kernels::Step*, size_t>, SegmentState> segments_;
};

// Decides which segments of a module's program are launched as graphs, and owns the graphs for each
// stream. Owned by the module. Thread-safe.
class ModuleGraphs {
 public:
  // If `support` has no kernels for graphs, nothing is launched as graphs. The context, `support`
  // and `module` must outlive the object.
  ModuleGraphs(Context& context, const GraphSupport& support, const CudaModule& module,
               size_t num_arguments, size_t num_results);
  ~ModuleGraphs() { context_.stream_listeners().Remove(listener_); }
  ModuleGraphs(const ModuleGraphs&) = delete;
  ModuleGraphs& operator=(const ModuleGraphs&) = delete;

  // The segments of a list of steps: the program's own, or the body or condition of a loop, or a
  // branch.
  const std::vector<kernels::cuda::Segment>& segments(const kernels::Steps& steps) const {
    return segments_.at(&steps);
  }
  // Only valid if there are graphs.
  const kernels::cuda::BufferLocations& locations() const { return *locations_; }
  // The device memory of the graphs of one stream. An estimate, because the driver allocates the
  // nodes.
  int64_t device_bytes() const { return device_bytes_; }

  // Whether the host reads values from the device in the middle of a run, to decide how loops and
  // branches continue.
  bool needs_host() const { return has_host_control_flow_ || (has_loops_ && failed_.load()); }
  // Whether graphs contain loops or branches, so that a graph may run for as long as the data say,
  // without the host.
  bool has_loops() const { return has_loops_; }
  // Whether the next run on `stream` may have to build graphs, which takes milliseconds.
  bool MayBuildGraphs(CuStream stream) const;

  // Begins a run on `stream`, which no other thread may use at the same time. Returns the graphs
  // for the stream, or nullptr if the run has to launch its steps one by one. Sets `is_first` to
  // whether this is the first run on the stream, in which only graphs with loops are worth
  // building. Allocates the address table of the graphs from `memory`.
  StreamGraphs* Begin(CuStream stream, MemoryPool& memory, bool& is_first) const;
  // Reports that a graph for `stream` could not be built or launched, which is logged. From now on
  // all runs of the module launch their steps one by one; if `why` is RESOURCE_EXHAUSTED, only this
  // run.
  void RecordFailure(const absl::Status& why, CuStream stream) const;

 private:
  // What is kept for one stream.
  struct StreamState {
    std::atomic<int> runs = 0;             // runs since graphs may have to be built; counts to 2
    std::unique_ptr<StreamGraphs> graphs;  // used by this stream alone
  };

  // Divides `steps`, and the steps inside of them, into segments: fills `segments_` and
  // `has_host_control_flow_`.
  void Cut(const kernels::Steps& steps, bool graphs);
  // Deletes what is kept for a stream that is about to be destroyed.
  void Forget(CuStream stream);

  Context& context_;
  const GraphSupport& support_;
  const GraphKernels* kernels_ = nullptr;  // nullptr if there are no graphs
  const CudaModule& module_;
  absl::flat_hash_map<const kernels::Steps*, std::vector<kernels::cuda::Segment>> segments_;
  absl::optional<kernels::cuda::BufferLocations> locations_;  // nullopt if there are no graphs
  // Whether there are loops or branches outside of graphs (has_host_control_flow_) and inside of
  // graphs (has_loops_).
  bool has_host_control_flow_ = false, has_loops_ = false;
  int64_t device_bytes_ = 0;
  uint64_t listener_ = 0;  // id in the context's StreamListeners, if there are graphs
  mutable std::atomic<bool> failed_ = false;
  mutable Mutex mutex_;
  mutable absl::flat_hash_map<CuStream, std::unique_ptr<StreamState>> stream_states_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::hal::cuda
