#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/check.h"
#include "tests/support/fake_cuda/machine.h"

// The driver's graphs. The nodes of one that may run at the same time run one after the other, the
// last one first: not in the order in which they were added, as far as they do not say so.
namespace acceld::testing::fake {
namespace {

using hal::cuda::CuConditionalNode;
using hal::cuda::CuGraphNodeParameters;
using hal::cuda::Driver;
using Result = Driver::Result;

struct Graph;

struct Node {
  size_t number = 0;  // in its graph
  std::vector<const Node*> before;
  KernelCall call;  // or
  int type = 0;     // of a conditional node
  const unsigned* condition = nullptr;
  std::vector<std::unique_ptr<Graph>> bodies;
  std::vector<hal::cuda::CuGraph> body_handles;
};

struct Condition {
  unsigned value = 0;  // first: handles are its address
  bool is_used = false;
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Condition>> conditions;
  bool is_instantiated = false;
};

struct Exec {
  Graph& graph;
};

Graph& GraphOf(hal::cuda::CuGraph graph) { return *reinterpret_cast<Graph*>(graph); }

void Run(Gpu& gpu, const Graph& graph);

void Run(Gpu& gpu, const Node& node) {
  if (node.condition == nullptr) return RunKernel(gpu, node.call);
  if (node.type == CuConditionalNode::kWhile) {
    while (*node.condition != 0 && !IsBroken(gpu)) Run(gpu, *node.bodies[0]);
  } else if (*node.condition < node.bodies.size()) {
    Run(gpu, *node.bodies[*node.condition]);
  }
}

void Run(Gpu& gpu, const Graph& graph) {
  std::vector<bool> done(graph.nodes.size());
  for (size_t left = done.size(); left > 0; --left) {
    for (size_t i = done.size(); i-- > 0;) {
      const Node& node = *graph.nodes[i];
      const bool waits = std::any_of(node.before.begin(), node.before.end(),
                                     [&](const Node* one) { return !done[one->number]; });
      if (done[i] || waits) continue;
      Run(gpu, node);
      done[i] = true;
      break;
    }
  }
}

}  // namespace

extern "C" {

Result cuGraphCreate(hal::cuda::CuGraph* graph, unsigned int flags) {
  BEGIN(cuGraphCreate);
  if (flags != 0) return kInvalidValue;
  Count(1);
  *graph = reinterpret_cast<hal::cuda::CuGraph>(new Graph);
  return 0;
}

Result cuGraphDestroy(hal::cuda::CuGraph graph) {
  Count(-1);
  delete reinterpret_cast<Graph*>(graph);
  return 0;
}

Result cuGraphConditionalHandleCreate(hal::cuda::CuGraphCondition* condition,
                                      hal::cuda::CuGraph graph, hal::cuda::CuContext context,
                                      unsigned int default_value, unsigned int flags) {
  BEGIN(cuGraphConditionalHandleCreate);
  if (reinterpret_cast<Gpu*>(context) != current || flags != 0 || default_value != 0) {
    return kInvalidValue;
  }
  auto& made = GraphOf(graph).conditions.emplace_back(std::make_unique<Condition>());
  *condition = reinterpret_cast<hal::cuda::CuGraphCondition>(made.get());
  return 0;
}

Result cuGraphAddNode_v2(hal::cuda::CuGraphNode* node, hal::cuda::CuGraph graph,
                         const hal::cuda::CuGraphNode* before, const void* edges, size_t num_before,
                         CuGraphNodeParameters* parameters) {
  BEGIN(cuGraphAddNode_v2);
  Graph& to = GraphOf(graph);
  auto added = std::make_unique<Node>();
  added->number = to.nodes.size();
  for (size_t i = 0; i < num_before; ++i) {
    const auto* const one = reinterpret_cast<const Node*>(before[i]);
    if (one->number >= to.nodes.size() || to.nodes[one->number].get() != one) return kInvalidValue;
    added->before.push_back(one);
  }
  if (edges != nullptr || to.is_instantiated) return kInvalidValue;
  if (parameters->type == CuGraphNodeParameters::kKernel) {
    const hal::cuda::CuKernelNode& kernel = parameters->kernel;
    const auto* const code = reinterpret_cast<const HostCode::Kernel*>(kernel.function);
    if (code == nullptr || kernel.blocks_x == 0 || kernel.threads_x == 0 ||
        kernel.threads_x > 1024 || kernel.shared_bytes != 0 || kernel.extra != nullptr) {
      return kInvalidValue;
    }
    added->call = {code, code->Take(kernel.parameters), kernel.blocks_x, kernel.threads_x};
  } else {
    CuConditionalNode& conditional = parameters->conditional;
    auto* const condition = reinterpret_cast<Condition*>(conditional.condition);
    const bool is_here =
        std::any_of(to.conditions.begin(), to.conditions.end(),
                    [condition](const auto& one) { return one.get() == condition; });
    if (parameters->type != CuGraphNodeParameters::kConditional || !is_here ||
        std::exchange(condition->is_used, true) || conditional.size == 0 ||
        reinterpret_cast<Gpu*>(conditional.context) != current ||
        (conditional.type == CuConditionalNode::kWhile && conditional.size != 1)) {
      return kInvalidValue;
    }
    added->type = conditional.type;
    added->condition = &condition->value;
    for (unsigned i = 0; i < conditional.size; ++i) {
      added->bodies.push_back(std::make_unique<Graph>());
      added->body_handles.push_back(
          reinterpret_cast<hal::cuda::CuGraph>(added->bodies.back().get()));
    }
    conditional.bodies = added->body_handles.data();
  }
  *node = reinterpret_cast<hal::cuda::CuGraphNode>(added.get());
  to.nodes.push_back(std::move(added));
  return 0;
}

Result cuGraphInstantiateWithFlags(hal::cuda::CuGraphExec* exec, hal::cuda::CuGraph graph,
                                   unsigned long long flags) {
  BEGIN(cuGraphInstantiateWithFlags);
  // One with conditions is instantiated once.
  if (flags != 0 || std::exchange(GraphOf(graph).is_instantiated, true)) return kInvalidValue;
  Count(1);
  *exec = reinterpret_cast<hal::cuda::CuGraphExec>(new Exec{GraphOf(graph)});
  return 0;
}

Result cuGraphExecDestroy(hal::cuda::CuGraphExec exec) {
  Count(-1);
  delete reinterpret_cast<Exec*>(exec);
  return 0;
}

Result cuGraphLaunch(hal::cuda::CuGraphExec exec, hal::cuda::CuStream stream) {
  BEGIN(cuGraphLaunch);
  StreamOf(stream).Enqueue(
      [&graph = reinterpret_cast<Exec*>(exec)->graph, gpu = current] { Run(*gpu, graph); });
  return 0;
}

}  // extern "C"

}  // namespace acceld::testing::fake
