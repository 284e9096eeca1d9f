#pragma once

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "kernels/cuda/cublas/matmul.h"
#include "kernels/ir/plan.h"
#include "server/hal/cuda/driver/context.h"
#include "server/hal/cuda/graphs/capture.h"
#include "server/hal/cuda/graphs/graph_kernels.h"
#include "server/hal/cuda/graphs/place_table.h"

namespace acceld::hal::cuda {

class Addresses;
class CudaModule;

// What graphs are made of.
struct GraphParts {
  Context& context;
  const GraphKernels& kernels;
  const Capture& capture;
  const CudaModule& module;
};

// A call of a library, which knows the addresses of one run.
struct GraphCall {
  const kernels::MatmulStep& step;
  CuGraphNode node = nullptr;
  kernels::cuda::Matmul::Places places;
};

// Steps that are launched together, for one stream. Goes before the context does, and when nobody
// launches it any more; what was launched goes on. Thread-compatible.
class Graph {
 public:
  // Of the module's program, a segment that is a graph (kernels/cuda/program/segments.h): a node
  // for each launch, copy and call, conditional nodes for loops and branches, and side by side what
  // does not depend on each other. It finds its buffers by the table, its calls know `addresses`.
  // May take milliseconds.
  static absl::StatusOr<std::unique_ptr<Graph>> Build(const GraphParts& parts,
                                                      const PlaceTable& table,
                                                      absl::Span<const kernels::Step> steps,
                                                      const Addresses& addresses);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // Has the calls of what is launched next know these addresses. After an error it is of no more
  // use.
  absl::Status Bind(const Addresses& addresses);

  CuGraphExec exec() const { return exec_; }

 private:
  explicit Graph(const GraphParts& parts) : parts_(parts) {}

  const GraphParts parts_;
  CuGraph graph_ = nullptr;  // The conditions are of this one.
  CuGraphExec exec_ = nullptr;
  std::vector<GraphCall> calls_;
};

}  // namespace acceld::hal::cuda
