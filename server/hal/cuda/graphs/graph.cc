#include "server/hal/cuda/graphs/graph.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/program/accesses.h"
#include "kernels/cuda/program/buffer_locations.h"
#include "kernels/cuda/program/dependencies.h"
#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/graphs/run_addresses.h"

namespace acceld::hal::cuda {
namespace {

using kernels::Slice;
using kernels::cuda::Access;

constexpr unsigned int kCopyThreads = 256;
constexpr int64_t kBytesOfCopyThread = 16;
constexpr int64_t kMaxCopyBlocks = 4096;
// Edges take host memory, and time to build.
constexpr size_t kMaxEdges = 200'000;

absl::StatusOr<CapturedGraph> CaptureCall(const GraphParts& parts, const kernels::MatmulStep& step,
                                          const kernels::cuda::Matmul::DeviceAddresses& addresses) {
  return parts.capture.Of(
      [&](CuStream stream) { return parts.module.matmul(step).Enqueue(addresses, stream); });
}

// Stands for the workspace of library calls in the analysis of dependencies, so that the calls that
// use it run one after the other. The slice differs from all others: constants have index 0.
constexpr Access kWorkspace{.slice = {.space = Slice::Space::kConstant,
                                      .index = std::numeric_limits<uint32_t>::max(),
                                      .size_bytes = 1},
                            .is_written = true};

// A graph, or the body of a conditional node, while it is built.
struct Body {
  CuGraph graph = nullptr;
  // In loops each node waits for the one before. A loop of two nodes that did not wait for each
  // other lost its device after seconds (H200, driver 580.159: CUDA_ERROR_LAUNCH_FAILED); loops of
  // nodes in order ran without errors until they were stopped.
  bool in_order = false;
  kernels::cuda::Dependencies dependencies;
  std::vector<CuGraphNode> nodes;
};

class Builder {
 public:
  Builder(const GraphParts& parts, const AddressTable& table, const RunAddresses& addresses,
          std::vector<GraphCall>& calls)
      : parts_(parts),
        table_(table),
        addresses_(addresses),
        calls_(calls),
        locations_(parts.module.graphs().locations()),
        driver_(parts.context.driver()) {}

  absl::Status AddAll(absl::Span<const kernels::Step> steps, Body& body) {
    for (const kernels::Step& step : steps) {
      accesses_ = AccessesOf(parts_.module.program(), step);
      if (UsesWorkspace(step)) accesses_.push_back(kWorkspace);
      const absl::Status status =
          std::visit([&](const auto& value) { return Add(value, body); }, step.value);
      if (!status.ok()) return Annotate(status, step.comment);
    }
    return absl::OkStatus();
  }

 private:
  bool UsesWorkspace(const kernels::Step& step) const {
    const auto any = [this](const kernels::Steps& steps) {
      return absl::c_any_of(steps, [this](const auto& inside) { return UsesWorkspace(inside); });
    };
    if (const auto* matmul = std::get_if<kernels::MatmulStep>(&step.value)) {
      return parts_.module.matmul(*matmul).workspace_bytes() > 0;
    }
    if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
      return any(loop->condition) || any(loop->body);
    }
    const auto* const choice = std::get_if<kernels::SwitchStep>(&step.value);
    return choice != nullptr && absl::c_any_of(choice->branches, any);
  }

  // Returns what a kernel gets in place of the address of a buffer: the address of the table entry
  // that holds the address, with bit 0 set (kernels/cuda/device/tagged_pointers.cuh).
  CuPointer TableEntry(size_t number) const { return table_.AddressOf(number) | 1; }
  CuPointer TableEntry(const Slice& slice) const { return TableEntry(locations_.NumberOf(slice)); }
  CuPointer Cancelled() const { return TableEntry(locations_.cancelled()); }

  absl::Status AddNode(Body& body, const std::vector<Access>& accesses,
                       CuGraphNodeParameters& node) {
    std::vector<CuGraphNode> before;
    if (!body.in_order) {
      for (const size_t one : body.dependencies.Add(accesses)) before.push_back(body.nodes[one]);
    } else if (!body.nodes.empty()) {
      before.push_back(body.nodes.back());
    }
    edges_ += before.size();
    if (edges_ > kMaxEdges) {
      return absl::UnimplementedError(absl::StrCat("a graph with more than ", kMaxEdges, " edges"));
    }
    CuGraphNode& added = body.nodes.emplace_back();
    return parts_.context.Check(driver_.cuGraphAddNode_v2(&added, body.graph, before.data(),
                                                          /*edges=*/nullptr, before.size(), &node),
                                "cuGraphAddNode");
  }

  absl::Status AddKernel(Body& body, const std::vector<Access>& accesses, CuFunction function,
                         int64_t blocks, unsigned int threads, std::vector<uint64_t> values) {
    std::vector<void*> parameters;
    for (uint64_t& value : values) parameters.push_back(&value);
    CuGraphNodeParameters node(CuKernelNode{.function = function,
                                            .blocks_x = static_cast<unsigned int>(blocks),
                                            .threads_x = threads,
                                            .parameters = parameters.data()});
    return AddNode(body, accesses, node);
  }

  absl::Status Add(const kernels::LaunchStep& step, Body& body) {
    const kernels::cuda::CudaEntry& kernel = parts_.module.program().kernels[step.kernel];
    std::vector<uint64_t> values;
    for (const Slice& buffer : step.buffers) values.push_back(TableEntry(buffer));
    if (kernel.polls) values.push_back(Cancelled());
    return AddKernel(body, accesses_, parts_.module.function(step.kernel), kernel.blocks,
                     static_cast<unsigned int>(kernel.threads), std::move(values));
  }

  absl::Status Add(const kernels::CopyStep& step, Body& body) {
    const int64_t bytes = step.from.size_bytes;
    if (bytes == 0) return absl::OkStatus();
    const int64_t bytes_of_block = kCopyThreads * kBytesOfCopyThread;
    const int64_t blocks = std::min(CeilDivide(bytes, bytes_of_block), kMaxCopyBlocks);
    return AddKernel(body, accesses_, parts_.kernels.copy_bytes, blocks, kCopyThreads,
                     {TableEntry(step.to), TableEntry(step.from), static_cast<uint64_t>(bytes)});
  }

  absl::Status Add(const kernels::MatmulStep& step, Body& body) {
    GraphCall call{.step = step, .addresses = addresses_.Of(step)};
    ACCELD_ASSIGN_OR_RETURN(const CapturedGraph captured,
                            CaptureCall(parts_, step, call.addresses));
    CuGraphNodeParameters node(CuChildNode{.graph = captured.get()});
    ACCELD_RETURN_IF_ERROR(AddNode(body, accesses_, node));
    call.node = body.nodes.back();
    calls_.push_back(call);
    return absl::OkStatus();
  }

  absl::Status Add(const kernels::WhileStep& loop, Body& body) {
    std::vector<Access> accesses = std::exchange(accesses_, {});
    ACCELD_RETURN_IF_ERROR(AddAll(loop.condition, body));
    ACCELD_ASSIGN_OR_RETURN(const Condition condition, NewCondition(body));
    ACCELD_RETURN_IF_ERROR(AddSetLoop(loop, condition, body));
    CuGraph inside = nullptr;
    ACCELD_RETURN_IF_ERROR(AddConditional(body, std::move(accesses), CuConditionalNode::kWhile,
                                          condition, 1, &inside));
    Body next{.graph = inside, .in_order = true};
    ACCELD_RETURN_IF_ERROR(AddAll(loop.body, next));
    ACCELD_RETURN_IF_ERROR(AddAll(loop.condition, next));
    return AddSetLoop(loop, condition, next);
  }

  absl::Status Add(const kernels::SwitchStep& step, Body& body) {
    std::vector<Access> accesses = std::exchange(accesses_, {});
    ACCELD_ASSIGN_OR_RETURN(const Condition condition, NewCondition(body));
    const uint64_t branches = step.branches.size();
    const std::vector<Access> sets = {{step.index}, condition.access};
    ACCELD_RETURN_IF_ERROR(step.index_is_predicate
                               ? AddKernel(body, sets, parts_.kernels.set_choice, 1, 1,
                                           {condition.handle, TableEntry(step.index)})
                               : AddKernel(body, sets, parts_.kernels.set_branch, 1, 1,
                                           {condition.handle, TableEntry(step.index), branches}));
    std::vector<CuGraph> inside(branches);
    ACCELD_RETURN_IF_ERROR(AddConditional(body, std::move(accesses), CuConditionalNode::kSwitch,
                                          condition, branches, inside.data()));
    for (size_t i = 0; i < branches; ++i) {
      Body branch{.graph = inside[i], .in_order = body.in_order};
      ACCELD_RETURN_IF_ERROR(AddAll(step.branches[i], branch));
    }
    return absl::OkStatus();
  }

  template <typename Other>
  absl::Status Add(const Other&, Body&) {
    // SegmentsOf puts no other steps into graphs.
    return absl::InternalError("a step that graphs have not");
  }

  // A value that a kernel sets and on which a conditional node depends.
  struct Condition {
    CuGraphCondition handle = 0;
    Access access;  // stands for the value, so that the node waits for the kernel
  };

  absl::StatusOr<Condition> NewCondition(const Body& body) {
    Condition condition{.access = {.slice = {.space = Slice::Space::kConstant,
                                             .index = --last_condition_,
                                             .size_bytes = 1},
                                   .is_written = true}};
    ACCELD_RETURN_IF_ERROR(parts_.context.Check(
        driver_.cuGraphConditionalHandleCreate(&condition.handle, body.graph,
                                               parts_.context.handle(), /*default_value=*/0,
                                               /*flags=*/0),
        "cuGraphConditionalHandleCreate"));
    return condition;
  }

  absl::Status AddSetLoop(const kernels::WhileStep& loop, const Condition& condition, Body& body) {
    return AddKernel(body, {{loop.predicate}, condition.access}, parts_.kernels.set_loop, 1, 1,
                     {condition.handle, TableEntry(loop.predicate), Cancelled(), table_.scratch()});
  }

  absl::Status AddConditional(Body& body, std::vector<Access> accesses, int type,
                              const Condition& condition, size_t size, CuGraph* inside) {
    accesses.push_back(condition.access);
    CuGraphNodeParameters node(CuConditionalNode{.condition = condition.handle,
                                                 .type = type,
                                                 .size = static_cast<unsigned int>(size),
                                                 .context = parts_.context.handle()});
    ACCELD_RETURN_IF_ERROR(AddNode(body, accesses, node));
    std::copy_n(node.conditional.bodies, size, inside);
    return absl::OkStatus();
  }

  const GraphParts& parts_;
  const AddressTable& table_;
  const RunAddresses& addresses_;
  std::vector<GraphCall>& calls_;
  const kernels::cuda::BufferLocations& locations_;
  const Driver& driver_;
  std::vector<Access> accesses_;  // accesses of the step that is being added
  size_t edges_ = 0;
  uint32_t last_condition_ = kWorkspace.slice.index;  // counts down
};

}  // namespace

Graph::~Graph() {
  const Driver& driver = parts_.context.driver();
  parts_.context.EnterForRelease();
  if (exec_ != nullptr) driver.cuGraphExecDestroy(exec_);
  if (graph_ != nullptr) driver.cuGraphDestroy(graph_);
}

absl::StatusOr<std::unique_ptr<Graph>> Graph::Build(const GraphParts& parts,
                                                    const AddressTable& table,
                                                    absl::Span<const kernels::Step> steps,
                                                    const RunAddresses& addresses) {
  Context& context = parts.context;
  const Driver& driver = context.driver();
  std::unique_ptr<Graph> built(new Graph(parts));
  ACCELD_RETURN_IF_ERROR(context.Check(driver.cuGraphCreate(&built->graph_, 0), "cuGraphCreate"));
  Body body{.graph = built->graph_};
  ACCELD_RETURN_IF_ERROR(Builder(parts, table, addresses, built->calls_).AddAll(steps, body));
  ACCELD_RETURN_IF_ERROR(context.Check(
      driver.cuGraphInstantiateWithFlags(&built->exec_, built->graph_, 0), "cuGraphInstantiate"));
  return built;
}

absl::Status Graph::Bind(const RunAddresses& addresses) {
  for (GraphCall& call : calls_) {
    const kernels::cuda::Matmul::DeviceAddresses current = addresses.Of(call.step);
    if (current == call.addresses) continue;
    ACCELD_ASSIGN_OR_RETURN(const CapturedGraph captured, CaptureCall(parts_, call.step, current));
    ACCELD_RETURN_IF_ERROR(
        parts_.context.Check(parts_.context.driver().cuGraphExecChildGraphNodeSetParams(
                                 exec_, call.node, captured.get()),
                             "cuGraphExecChildGraphNodeSetParams"));
    call.addresses = current;
  }
  return absl::OkStatus();
}

}  // namespace acceld::hal::cuda
