#pragma once

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "kernels/cuda/cublas/matmul.h"
#include "kernels/ir/plan.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/graphs/address_table.h"
#include "server/hal/cuda/graphs/capture.h"
#include "server/hal/cuda/graphs/graph_kernels.h"

namespace acceld::hal::cuda {

class RunAddresses;
class CudaModule;

// The parts of a device and of a module that graphs are built from. They must outlive the graphs.
struct GraphParts {
  Context& context;
  const GraphKernels& kernels;
  const GraphCapture& capture;
  const CudaModule& module;
};

// A library call in a graph. Its node was captured with the addresses `addresses` of one run, and
// has to be updated for a run with other addresses.
struct GraphCall {
  const kernels::MatmulStep& step;
  CuGraphNode node = nullptr;
  kernels::cuda::Matmul::DeviceAddresses addresses;
};

// An executable CUDA graph of several steps, which are launched together on one stream. Must be
// destroyed before the context; launches that are in progress then still run to their end.
// Thread-compatible.
class Graph {
 public:
  // Builds the graph of `steps`, a segment of the module's program that is to be a graph
  // (kernels/cuda/program/segments.h). The graph has a node for each kernel launch, copy and
  // library call, and conditional nodes for loops and branches. Nodes that do not depend on each
  // other may run concurrently, except in the bodies of loops. Kernels read the addresses of their
  // buffers from `table`; library calls are captured with `addresses`. May take milliseconds.
  // Returns UNIMPLEMENTED for too large a graph, and the errors of the libraries and of the driver.
  static absl::StatusOr<std::unique_ptr<Graph>> Build(const GraphParts& parts,
                                                      const AddressTable& table,
                                                      absl::Span<const kernels::Step> steps,
                                                      const RunAddresses& addresses);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Updates the library calls for launches with `addresses`. After an error the graph must not be
  // launched any more.
  absl::Status Bind(const RunAddresses& addresses);

  CuGraphExec exec() const { return exec_; }

 private:
  explicit Graph(const GraphParts& parts) : parts_(parts) {}

  const GraphParts parts_;
  CuGraph graph_ = nullptr;  // owns the handles of conditions, so it is kept
  CuGraphExec exec_ = nullptr;
  std::vector<GraphCall> calls_;
};

}  // namespace acceld::hal::cuda
