#include "server/hal/cuda/graphs/module_graphs.h"

#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "common/log/log.h"
#include "server/hal/cuda/cuda_module.h"
#include "server/hal/cuda/graphs/run_addresses.h"

namespace acceld::hal::cuda {

namespace {

constexpr int64_t kBytesPerNode = 2048;
constexpr int64_t kBytesPerTableEntry = 3 * sizeof(uint64_t);

size_t HashOfCalls(absl::Span<const kernels::Step> steps, const RunAddresses& addresses) {
  std::vector<CuPointer> all = {addresses.workspace()};
  for (const kernels::Step& step : steps) {
    const auto* const matmul = std::get_if<kernels::MatmulStep>(&step.value);
    if (matmul == nullptr) continue;
    const kernels::cuda::Matmul::DeviceAddresses operands = addresses.Of(*matmul);
    all.insert(all.end(),
               {operands.lhs, operands.rhs, operands.out, operands.bias, operands.addend});
  }
  return absl::HashOf(all);
}

}  // namespace

using kernels::cuda::Segment;

absl::StatusOr<const Graph*> StreamGraphs::Find(const Segment& segment,
                                                absl::Span<const kernels::Step> steps,
                                                const RunAddresses& addresses) {
  SegmentState& found = segments_[{steps.data(), steps.size()}];
  if (segment.calls > 0 && !segment.has_loops) {
    const size_t here = HashOfCalls(steps, addresses);
    if (std::exchange(found.last_addresses, here) != here) return nullptr;
  }
  if (found.graph != nullptr && !found.graph->Bind(addresses).ok()) {
    found.graph.reset();
    runs_.store(0);
  }
  if (found.graph == nullptr) {
    ACCELD_ASSIGN_OR_RETURN(found.graph, Graph::Build(parts_, table_, steps, addresses));
  }
  return found.graph.get();
}

ModuleGraphs::ModuleGraphs(Context& context, const GraphSupport& support, const CudaModule& module,
                           size_t num_arguments, size_t num_results)
    : context_(context), support_(support), module_(module) {
  const kernels::Steps& steps = module.program().steps;
  Cut(steps, /*graphs=*/true);
  bool has_graphs = false, has_loops = false;
  int64_t nodes = 0;
  for (const auto& [list, segments] : segments_) {
    for (const Segment& segment : segments) {
      has_graphs |= segment.is_graph;
      // The node of a library call is a child graph, which has at least one more node.
      nodes += segment.nodes + segment.calls;
      has_loops |= segment.is_graph && segment.has_loops;
    }
  }
  if (!has_graphs) return;
  kernels_ = support.Get();
  if (kernels_ == nullptr) {
    segments_.clear();
    Cut(steps, /*graphs=*/false);
  } else {
    has_loops_ = has_loops;
    locations_.emplace(module.program(), num_arguments, num_results);
    device_bytes_ = nodes * kBytesPerNode +
                    static_cast<int64_t>(locations_->all().size()) * kBytesPerTableEntry;
    listener_ = context_.stream_listeners().Add([this](CuStream stream) { Forget(stream); });
  }
}

void ModuleGraphs::Forget(CuStream stream) {
  decltype(stream_states_)::node_type forgotten;  // destroyed after the lock is released
  MutexLock lock(mutex_);
  forgotten = stream_states_.extract(stream);
}

void ModuleGraphs::Cut(const kernels::Steps& steps, bool graphs) {
  const std::vector<Segment> segments = kernels::cuda::SegmentsOf(steps, graphs);
  for (const Segment& segment : segments) {
    for (size_t i = segment.begin; i < segment.end; ++i) {
      const kernels::Step& step = steps[i];
      has_host_control_flow_ |=
          !segment.is_graph && (std::holds_alternative<kernels::WhileStep>(step.value) ||
                                std::holds_alternative<kernels::SwitchStep>(step.value));
      // Steps inside of a graph get segments, too, since the graph may turn out to be unusable.
      if (const auto* loop = std::get_if<kernels::WhileStep>(&step.value)) {
        Cut(loop->condition, graphs);
        Cut(loop->body, graphs);
      } else if (const auto* choice = std::get_if<kernels::SwitchStep>(&step.value)) {
        for (const kernels::Steps& branch : choice->branches) Cut(branch, graphs);
      }
    }
  }
  segments_.emplace(&steps, segments);
}

bool ModuleGraphs::MayBuildGraphs(CuStream stream) const {
  if (kernels_ == nullptr || failed_.load()) return false;
  MutexLock lock(mutex_);
  const auto found = stream_states_.find(stream);
  // The first run builds the graphs with loops, the second run the others.
  return found == stream_states_.end() || found->second->runs.load() < 2;
}

StreamGraphs* ModuleGraphs::Begin(CuStream stream, MemoryPool& memory, bool& is_first) const {
  if (kernels_ == nullptr || failed_.load()) return nullptr;
  StreamState* of_stream = nullptr;
  {
    MutexLock lock(mutex_);
    std::unique_ptr<StreamState>& found = stream_states_[stream];
    if (found == nullptr) found = std::make_unique<StreamState>();
    of_stream = found.get();
  }
  is_first = of_stream->runs.load() == 0;
  if (of_stream->runs.load() < 2) of_stream->runs.fetch_add(1);
  if (of_stream->graphs == nullptr && (has_loops_ || !is_first)) {
    absl::StatusOr<AddressTable> table =
        AddressTable::Create(context_, *kernels_, *locations_, memory, stream);
    if (!table.ok()) {
      RecordFailure(table.status(), stream);
      return nullptr;
    }
    of_stream->graphs =
        std::make_unique<StreamGraphs>(GraphParts{context_, *kernels_, support_.capture(), module_},
                                       *std::move(table), of_stream->runs);
  }
  return of_stream->graphs.get();
}

void ModuleGraphs::RecordFailure(const absl::Status& why, CuStream stream) const {
  const bool is_for_good = !absl::IsResourceExhausted(why);
  if (is_for_good) failed_.store(true);
  {
    MutexLock lock(mutex_);
    stream_states_.at(stream)->runs.store(0);
  }
  LogWarning("GPU ", context_.device().ordinal, ": a program goes without graphs ",
             is_for_good ? "from now on" : "this time",
             ", so that loops come back to the host: ", why.message());
}

}  // namespace acceld::hal::cuda
