#pragma once

#include <memory>

#include "absl/types/span.h"
#include "kernels/ir/plan.h"
#include "server/hal/cuda/context.h"
#include "server/hal/cuda/graph_kernels.h"
#include "server/hal/cuda/place_table.h"

namespace acceld::hal::cuda {

class CudaModule;

// What graphs are made of.
struct GraphParts {
  Context& context;
  const GraphKernels& kernels;
  const CudaModule& module;
};

// Steps that are launched together. Goes before the context does, and when nobody launches it any
// more; what was launched goes on.
class Graph {
 public:
  // Of the module's program, a segment that is a graph (kernels/cuda/program/segments.h): a node
  // for each launch and copy, conditional nodes for loops and branches, and side by side what does
  // not depend on each other. It finds its buffers by the table. May take milliseconds.
  static absl::StatusOr<std::unique_ptr<const Graph>> Build(const GraphParts& parts,
                                                            const PlaceTable& table,
                                                            absl::Span<const kernels::Step> steps);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  CuGraphExec exec() const { return exec_; }

 private:
  explicit Graph(Context& context) : context_(context) {}

  Context& context_;
  CuGraph graph_ = nullptr;  // The conditions are of this one.
  CuGraphExec exec_ = nullptr;
};

}  // namespace acceld::hal::cuda
