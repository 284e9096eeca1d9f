#include <algorithm>
#include <functional>
#include <map>
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

using Works = std::vector<std::function<void()>>;

struct Node {
  size_t number = 0;  // in its graph
  std::vector<const Node*> before;
  KernelCall call;  // or
  bool is_child = false;
  Works child;   // what was captured, or
  int type = 0;  // of a conditional node
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

using Children = std::map<const Node*, Works>;

struct Exec {
  Graph& graph;
  Children children;  // may have become others than those of the graph
};

Graph& GraphOf(hal::cuda::CuGraph graph) { return *reinterpret_cast<Graph*>(graph); }

void Run(Gpu& gpu, const Graph& graph, const Children& children);

void Run(Gpu& gpu, const Node& node, const Children& children) {
  if (node.call.kernel != nullptr) return RunKernel(gpu, node.call);
  if (const auto child = children.find(&node); child != children.end()) {
    for (const std::function<void()>& work : child->second) {
      if (!IsBroken(gpu)) work();
    }
    return;
  }
  if (node.type == CuConditionalNode::kWhile) {
    while (*node.condition != 0 && !IsBroken(gpu)) Run(gpu, *node.bodies[0], children);
  } else if (*node.condition < node.bodies.size()) {
    Run(gpu, *node.bodies[*node.condition], children);
  }
}

void Run(Gpu& gpu, const Graph& graph, const Children& children) {
  std::vector<bool> done(graph.nodes.size());
  for (size_t left = done.size(); left > 0; --left) {
    for (size_t i = done.size(); i-- > 0;) {
      const Node& node = *graph.nodes[i];
      const bool waits = std::any_of(node.before.begin(), node.before.end(),
                                     [&](const Node* one) { return !done[one->number]; });
      if (done[i] || waits) continue;
      Run(gpu, node, children);
      done[i] = true;
      break;
    }
  }
}

// What a captured graph does.
Works WorksOf(const Graph& captured) {
  Works works;
  for (const auto& node : captured.nodes) {
    works.insert(works.end(), node->child.begin(), node->child.end());
  }
  return works;
}

// Of the graph's nodes, and of those in its bodies.
void CollectChildren(const Graph& graph, Children& children) {
  for (const auto& node : graph.nodes) {
    if (node->is_child) children[node.get()] = node->child;
    for (const auto& body : node->bodies) CollectChildren(*body, children);
  }
}

}  // namespace

extern "C" {

Result cuStreamBeginCapture_v2(hal::cuda::CuStream stream, int mode) {
  BEGIN(cuStreamBeginCapture_v2);
  constexpr int kRelaxed = 2;
  return mode == kRelaxed && StreamOf(stream).BeginCapture() ? 0 : kInvalidValue;
}

Result cuStreamEndCapture(hal::cuda::CuStream stream, hal::cuda::CuGraph* graph) {
  auto captured = StreamOf(stream).EndCapture();
  BEGIN(cuStreamEndCapture);
  if (!captured.has_value()) return kInvalidValue;
  auto made = std::make_unique<Graph>();
  for (std::function<void()>& work : *captured) {
    auto node = std::make_unique<Node>();
    node->is_child = true;
    node->child.push_back(std::move(work));
    made->nodes.push_back(std::move(node));
  }
  Count(1);
  *graph = reinterpret_cast<hal::cuda::CuGraph>(made.release());
  return 0;
}

Result cuGraphExecChildGraphNodeSetParams(hal::cuda::CuGraphExec exec, hal::cuda::CuGraphNode node,
                                          hal::cuda::CuGraph child) {
  BEGIN(cuGraphExecChildGraphNodeSetParams);
  Exec& changed = *reinterpret_cast<Exec*>(exec);
  const auto found = changed.children.find(reinterpret_cast<const Node*>(node));
  if (found == changed.children.end()) return kInvalidValue;
  Works works = WorksOf(GraphOf(child));
  if (works.size() != found->second.size()) return kInvalidValue;
  found->second = std::move(works);
  return 0;
}

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
    if (one->number >= to.nodes.size() || to.nodes[one->number].get() != one ||
        std::count(added->before.begin(), added->before.end(), one) > 0) {
      return kInvalidValue;
    }
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
  } else if (parameters->type == CuGraphNodeParameters::kChild) {
    if (parameters->child.graph == nullptr || parameters->child.ownership != 0) {
      return kInvalidValue;
    }
    added->is_child = true;
    added->child = WorksOf(GraphOf(parameters->child.graph));
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
  auto made = std::make_unique<Exec>(Exec{GraphOf(graph), {}});
  CollectChildren(made->graph, made->children);
  *exec = reinterpret_cast<hal::cuda::CuGraphExec>(made.release());
  return 0;
}

Result cuGraphExecDestroy(hal::cuda::CuGraphExec exec) {
  Count(-1);
  delete reinterpret_cast<Exec*>(exec);
  return 0;
}

Result cuGraphLaunch(hal::cuda::CuGraphExec exec, hal::cuda::CuStream stream) {
  BEGIN(cuGraphLaunch);
  const Exec& launched = *reinterpret_cast<const Exec*>(exec);
  // Children may change before it runs.
  StreamOf(stream).Enqueue([&graph = launched.graph, children = launched.children, gpu = current] {
    Run(*gpu, graph, children);
  });
  return 0;
}

}  // extern "C"

}  // namespace acceld::testing::fake
