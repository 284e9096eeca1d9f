#include "common/ir/processes/sharding.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter/elements/elementwise.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/processes/rendezvous.h"
#include "common/ir/interpreter/tensor.h"

// Ops that say how values are distributed. Source: Shardy, dialect sdy.
namespace acceld::ir::interpreter {
namespace {

// One tensor of a manual computation, as a whole and in shards along the manual axes.
struct Distributed {
  const Sharding& sharding;
  const Mesh& mesh;
  const std::vector<int64_t>& manual_axes;

  // Returns the index of the first element of the shard that a partition has.
  Dims StartOf(int64_t partition, const Dims& shard) const {
    Dims start(shard.size(), 0);
    for (size_t d = 0; d < shard.size(); ++d) {
      start[d] = shard[d] * ShardOf(sharding.dimensions[d], mesh, partition, manual_axes);
    }
    return start;
  }
  // Along the unreduced axes that are manual each partition has one of these parts of the tensor.
  int64_t NumParts() const { return NumShards({.axes = sharding.unreduced}, mesh, manual_axes); }
  int64_t PartOf(int64_t partition) const {
    return ShardOf({.axes = sharding.unreduced}, mesh, partition, manual_axes);
  }
};

// Combines two parts of a tensor.
absl::StatusOr<Value> Combined(Reduction reduction, const Literal& a, const Literal& b) {
  static constexpr OpKind kKinds[] = {OpKind::kAdd, OpKind::kMaximum, OpKind::kMinimum};
  const OpKind kind = kKinds[static_cast<size_t>(reduction)];
  const DType dtype = a.type().dtype;
  const NoAttributes none;
  const OpAttributes attributes = none;
  const ElementContext context{.operand = dtype, .result = dtype, .attributes = &attributes};
  const ElementFunction combine = ElementFunctionOf(kind, dtype);
  if (combine == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("parts of type ", DTypeName(dtype), " cannot be combined by ", NameOf(kind)));
  }
  std::string bytes = a.DenseBytes();
  const std::string others = b.DenseBytes();
  for (int64_t i = 0; i < a.type().num_elements(); ++i) {
    const Scalar operands[] = {ReadScalar(dtype, bytes.data(), i),
                               ReadScalar(dtype, others.data(), i)};
    WriteScalar(dtype, bytes.data(), i, Rounded(dtype, combine(context, operands)));
  }
  ACCELD_ASSIGN_OR_RETURN(Literal combined, Literal::FromBytes(a.type(), std::move(bytes)));
  return Value{std::move(combined), {}};
}

// Runs a manual computation in one process. The process has the whole operands, or, inside another
// manual computation, their shards along the axes that are manual there.
class ManualComputation {
 public:
  ManualComputation(EvalContext& context, const Process& process)
      : c_(context),
        process_(process),
        attributes_(context.As<ManualComputationAttributes>()),
        region_(context.op.regions[0]) {}

  EvalResult Run() {
    std::vector<Value> arguments;
    for (size_t i = 0; i < c_.operands.size(); ++i) {
      ACCELD_ASSIGN_OR_RETURN(arguments.emplace_back(), ShardOfOperand(i));
    }
    ACCELD_ASSIGN_OR_RETURN(std::vector<Value> results,
                            c_.machine.RunRegion(c_.frame, region_, std::move(arguments)));
    if (results.empty()) return results;
    return Assemble(std::move(results));
  }

 private:
  Distributed DistributedBy(const Sharding& sharding) const {
    const Mesh& mesh = c_.machine.module()->meshes[static_cast<size_t>(sharding.mesh)];
    return {sharding, mesh, attributes_.manual_axes};
  }

  absl::StatusOr<Value> ShardOfOperand(size_t i) {
    const Type& type = c_.frame.function.TypeOf(region_.parameters[i]);
    if (!type.IsTensor()) return *c_.operands[i];
    const TensorType& shard = type.tensor();
    const Literal& whole = c_.operand(i);
    const Distributed distributed = DistributedBy(attributes_.in_shardings[i]);
    // The first part of a sum is the whole sum, and the others are zeros.
    const bool is_sum = distributed.sharding.reduction == Reduction::kSum;
    if (is_sum && distributed.PartOf(process_.partition()) > 0) {
      return Value{Literal::Zeros(shard), {}};
    }
    if (whole.type() == shard) return *c_.operands[i];
    ACCELD_RETURN_IF_ERROR(c_.machine.Charge(shard.num_elements()));
    TensorBuilder builder(shard);
    CopyBox(TensorView(whole), distributed.StartOf(process_.partition(), shard.dims), shard.dims,
            builder, Dims(shard.dims.size(), 0));
    return builder.Finish();
  }

  // Returns the processes that have the other shards: their positions in the mesh differ along the
  // manual axes only. Ascending.
  std::vector<int64_t> Peers() const {
    const Mesh& mesh = DistributedBy(attributes_.out_shardings[0]).mesh;
    const auto position_of = [&](int64_t partition) {
      std::vector<int64_t> position = PositionOf(mesh, partition);
      for (const int64_t axis : attributes_.manual_axes) position[static_cast<size_t>(axis)] = 0;
      return position;
    };
    const std::vector<int64_t> own = position_of(process_.partition());
    std::vector<int64_t> peers;
    for (int64_t partition = 0; partition < process_.grid.num_partitions; ++partition) {
      if (position_of(partition) != own) continue;
      peers.push_back(process_.number - process_.partition() + partition);
    }
    return peers;
  }

  // Puts the results together from the shards of all peers.
  EvalResult Assemble(std::vector<Value> own) {
    const std::vector<int64_t> peers = Peers();
    std::vector<Literal> shards;
    shards.reserve(own.size());
    for (const Value& value : own) shards.push_back(value.tensor);
    ACCELD_ASSIGN_OR_RETURN(
        const Rendezvous::Contributions all,
        process_.rendezvous->Meet(process_.number, c_.op, peers, std::move(shards)));
    std::vector<Value> results;
    for (size_t i = 0; i < own.size(); ++i) {
      if (!c_.frame.function.TypeOf(c_.op.results[i]).IsTensor()) {
        results.push_back(std::move(own[i]));
        continue;
      }
      const Distributed distributed = DistributedBy(attributes_.out_shardings[i]);
      const int64_t num_parts = distributed.NumParts();
      ACCELD_RETURN_IF_ERROR(c_.machine.Charge(num_parts * c_.result(i).num_elements()));
      Value whole = AssemblePart(i, /*part=*/0, distributed, peers, all);
      for (int64_t part = 1; part < num_parts; ++part) {
        const Value next = AssemblePart(i, part, distributed, peers, all);
        ACCELD_ASSIGN_OR_RETURN(
            whole, Combined(distributed.sharding.reduction, whole.tensor, next.tensor));
      }
      results.push_back(std::move(whole));
    }
    return results;
  }

  // Puts one part of a result together.
  Value AssemblePart(size_t i, int64_t part, const Distributed& distributed,
                     const std::vector<int64_t>& peers,
                     const Rendezvous::Contributions& all) const {
    TensorBuilder whole(c_.result(i));
    // In descending order, so that of several equal shards the first one stays.
    for (size_t peer = peers.size(); peer-- > 0;) {
      const int64_t partition = peers[peer] % process_.grid.num_partitions;
      if (distributed.PartOf(partition) != part) continue;
      const Literal& shard = all[peer][i];
      const Dims& dims = shard.type().dims;
      CopyBox(TensorView(shard), Dims(dims.size(), 0), dims, whole,
              distributed.StartOf(partition, dims));
    }
    return whole.Finish();
  }

  EvalContext& c_;
  const Process& process_;
  const ManualComputationAttributes& attributes_;
  const Region& region_;
};

// Runs the op in a process for each partition. Each of them puts the same results together, as far
// as the processes that differ along other axes than the manual ones compute the same.
EvalResult RunInPartitions(EvalContext& c) {
  if (c.machine.module() == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(Describe(c.op), ": the meshes of the module are not known"));
  }
  const ProcessGrid& grid = c.machine.module()->grid;
  if (grid.num_replicas != 1) {
    return absl::UnimplementedError(
        absl::StrCat(Describe(c.op), ": the interpreter runs it for one replica only, not for ",
                     grid.num_replicas));
  }
  std::vector<Value> results;
  int64_t least_remaining = c.machine.remaining_element_ops();
  ACCELD_RETURN_IF_ERROR(
      RunProcesses(grid, /*is_same_program=*/true, [&](const Process& process) -> absl::Status {
        Machine machine = c.machine.ForProcess(process);
        Frame frame(c.frame.function);
        ACCELD_ASSIGN_OR_RETURN(std::vector<Value> own, machine.RunOp(frame, c.op, c.operands));
        if (process.number == 0) results = std::move(own);
        least_remaining = std::min(least_remaining, machine.remaining_element_ops());
        return absl::OkStatus();
      }));
  // The partitions run at the same time.
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(c.machine.remaining_element_ops() - least_remaining));
  return results;
}

}  // namespace

EvalResult EvalManualComputation(EvalContext& c) {
  const Process* process = c.machine.process();
  if (process == nullptr) return RunInPartitions(c);
  return ManualComputation(c, *process).Run();
}

EvalResult EvalShardingConstraint(EvalContext& c) { return c.OperandValues(); }

EvalResult EvalShardingGroup(EvalContext&) { return std::vector<Value>(); }

}  // namespace acceld::ir::interpreter
