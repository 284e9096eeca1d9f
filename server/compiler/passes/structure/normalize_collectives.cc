#include "server/compiler/passes/structure/normalize_collectives.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/processes/process_groups.h"
#include "common/ir/verify/op_error.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/spmd/collectives/collective_of.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;
using ir::ValueId;
using Values = std::vector<ValueId>;

ir::TensorType FlagType() { return {ir::DType::kI1, {}}; }
ir::TensorType IndexType() { return {ir::DType::kI64, {}}; }

// Returns groups of process numbers as attributes of an op with global device ids.
ir::GroupAttributes AttributesOf(const ir::ProcessGroups& groups) {
  size_t width = 0;
  for (const std::vector<int64_t>& group : groups) width = std::max(width, group.size());
  constexpr int64_t kPadding = -1;
  std::vector<int64_t> numbers;
  for (const std::vector<int64_t>& group : groups) {
    numbers.insert(numbers.end(), group.begin(), group.end());
    numbers.insert(numbers.end(), width - group.size(), kPadding);
  }
  const ir::TensorType type{ir::DType::kI64,
                            {static_cast<int64_t>(groups.size()), static_cast<int64_t>(width)}};
  ir::GroupAttributes attributes;
  attributes.replica_groups = ir::Literal::FromValues<int64_t>(type, numbers);
  attributes.channel_handle = ir::ChannelHandle{1, 1};
  return attributes;
}

// Returns the groups, and one more for each process that is in none.
ir::ProcessGroups Completed(ir::ProcessGroups groups, const ir::ProcessGrid& grid) {
  std::vector<bool> seen(static_cast<size_t>(grid.size()));
  for (const std::vector<int64_t>& group : groups) {
    for (const int64_t process : group) seen[static_cast<size_t>(process)] = true;
  }
  for (int64_t process = 0; process < grid.size(); ++process) {
    if (!seen[static_cast<size_t>(process)]) groups.push_back({process});
  }
  return groups;
}

// Appends what replaces one collective.
class Replacement {
 public:
  Replacement(Rewriter& rewriter, const ir::ProcessGrid& grid, const ir::Op& op,
              ir::ProcessGroups groups)
      : rewriter_(rewriter), grid_(grid), op_(op), groups_(std::move(groups)) {}

  // Appends the ops. Returns the values that replace the results.
  absl::StatusOr<Values> Run() {
    switch (op_.kind) {
      case OpKind::kAllReduce:
        return AllReduce(groups_);
      case OpKind::kReduceScatter:
        return ReduceScatter();
      case OpKind::kCollectiveReduce:
        return CollectiveReduce();
      default:
        return BroadcastFromOperand();
    }
  }

 private:
  ValueId Emit(OpKind kind, Values operands, const ir::TensorType& type,
               ir::OpAttributes attributes = ir::NoAttributes{}) {
    return rewriter_.Emit(kind, std::move(operands), std::move(attributes), type, op_.location);
  }

  ValueId Number(const ir::TensorType& type, int64_t value) {
    return rewriter_.EmitConstant(ir::Literal::Filled(type, static_cast<double>(value)),
                                  op_.location);
  }

  // The operands without one that numbers the root.
  Values Operands() const {
    return {op_.operands.begin(), op_.operands.begin() + static_cast<int64_t>(op_.results.size())};
  }

  bool IsSimple() const {
    return spmd::StepCombinerOf(rewriter_.function(), op_.regions[0]).has_value();
  }

  // Puts each operand of all members together, along a new first dimension.
  absl::StatusOr<Values> Gather(const ir::ProcessGroups& groups) {
    const size_t size = groups.empty() ? 0 : groups[0].size();
    const bool are_alike =
        std::all_of(groups.begin(), groups.end(), [&](const auto& g) { return g.size() == size; });
    if (!are_alike || static_cast<int64_t>(groups.size() * size) != grid_.size()) {
      return absl::UnimplementedError(absl::StrCat(
          "the members gather their values, so the groups must have equal sizes and contain all ",
          grid_.size(), " processes"));
    }
    ir::AllGatherAttributes attributes;
    static_cast<ir::GroupAttributes&>(attributes) = AttributesOf(groups);
    attributes.use_global_device_ids = true;
    ir::Op gather = ir::MakeOp(OpKind::kAllGather, {}, std::move(attributes), {}, op_.location);
    for (const ValueId operand : Operands()) {
      ir::TensorType type = rewriter_.TensorOf(operand);
      type.dims.insert(type.dims.begin(), 1);
      gather.operands.push_back(Emit(OpKind::kReshape, {operand}, type));
      type.dims[0] = static_cast<int64_t>(size);
      ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
      gather.results.push_back(rewriter_.NewValue(std::move(type)));
    }
    Values gathered = gather.results;
    rewriter_.Append(std::move(gather));
    return gathered;
  }

  // Returns the region of the op as one of optional values: each is followed by a flag that says
  // whether it is there. So a reduction needs no neutral element.
  ir::Region OptionalCombiner() {
    ir::Region region = rewriter_.Clone(op_.regions[0]);
    const ValueId a = region.parameters[0], b = region.parameters[1];
    const ValueId combined = region.results[0];
    const ir::TensorType type = rewriter_.TensorOf(a);
    const ValueId has_a = rewriter_.NewValue(FlagType()), has_b = rewriter_.NewValue(FlagType());
    const auto append = [&](OpKind kind, Values operands, const ir::TensorType& result) {
      region.ops.push_back(ir::MakeOp(kind, std::move(operands), ir::NoAttributes{},
                                      {rewriter_.NewValue(result)}, op_.location));
      return region.ops.back().results[0];
    };
    const ValueId has_both = append(OpKind::kAnd, {has_a, has_b}, FlagType());
    const ValueId only = append(OpKind::kSelect, {has_a, a, b}, type);
    const ValueId result = append(OpKind::kSelect, {has_both, combined, only}, type);
    const ValueId has_any = append(OpKind::kOr, {has_a, has_b}, FlagType());
    region.parameters = {a, has_a, b, has_b};
    region.results = {result, has_any};
    return region;
  }

  // Combines the parts along the first dimension in their order.
  ValueId Fold(ValueId parts) {
    ir::TensorType type = rewriter_.TensorOf(parts);
    const ValueId flags = Number({ir::DType::kI1, type.dims}, 1);
    const ValueId zero = Number({type.dtype, {}}, 0), absent = Number(FlagType(), 0);
    type.dims.erase(type.dims.begin());
    const ir::TensorType flag_type{ir::DType::kI1, type.dims};
    ir::Op reduce = ir::MakeOp(OpKind::kReduce, {parts, flags, zero, absent},
                               ir::DimensionsAttributes{{0}}, {}, op_.location);
    reduce.regions.push_back(OptionalCombiner());
    const ValueId result = rewriter_.NewValue(std::move(type));
    reduce.results = {result, rewriter_.NewValue(flag_type)};
    rewriter_.Append(std::move(reduce));
    return result;
  }

  // Combines the operands of the members of each group; all processes must be in groups.
  absl::StatusOr<Values> AllReduce(const ir::ProcessGroups& groups) {
    if (!IsSimple()) {
      ACCELD_ASSIGN_OR_RETURN(Values values, Gather(groups));
      for (ValueId& value : values) value = Fold(value);
      return values;
    }
    ir::AllReduceAttributes attributes;
    static_cast<ir::GroupAttributes&>(attributes) = AttributesOf(groups);
    attributes.use_global_device_ids = true;
    ir::Op reduce =
        ir::MakeOp(OpKind::kAllReduce, Operands(), std::move(attributes), {}, op_.location);
    reduce.regions.push_back(rewriter_.Clone(op_.regions[0]));
    for (const ValueId id : op_.results) {
      reduce.results.push_back(rewriter_.NewValue(ir::Type(rewriter_.TypeOf(id))));
    }
    Values results = reduce.results;
    rewriter_.Append(std::move(reduce));
    return results;
  }

  // Returns the groups for an op that knows no global device ids: its groups are of replicas, or,
  // with a channel, of partitions.
  absl::StatusOr<ir::GroupAttributes> GroupsWithoutGlobalIds(
      const ir::GroupAttributes& given) const {
    if (!given.channel_handle.has_value()) return given;
    if (grid_.num_replicas != 1 && grid_.num_partitions != 1) {
      return absl::UnimplementedError(
          "its region is not one simple op, and its groups are of replicas and partitions");
    }
    ir::GroupAttributes attributes = AttributesOf(groups_);
    if (grid_.num_replicas != 1) attributes.channel_handle.reset();
    return attributes;
  }

  // Each member gets its part of the values of all, and combines these.
  absl::StatusOr<Values> ReduceScatter() {
    const auto& scatter = op_.As<ir::ReduceScatterAttributes>();
    const auto size = static_cast<int64_t>(groups_[0].size());
    ACCELD_ASSIGN_OR_RETURN(ir::GroupAttributes groups, GroupsWithoutGlobalIds(scatter));
    ir::AllToAllAttributes attributes;
    static_cast<ir::GroupAttributes&>(attributes) = std::move(groups);
    attributes.split_dimension = scatter.scatter_dimension + 1;
    attributes.split_count = size;
    ir::TensorType type = rewriter_.TensorOf(op_.operands[0]);
    type.dims.insert(type.dims.begin(), 1);
    ACCELD_RETURN_IF_ERROR(ir::ValidateType(type));
    const ValueId value = Emit(OpKind::kReshape, {op_.operands[0]}, type);
    type.dims[0] = size;
    type.dims[static_cast<size_t>(attributes.split_dimension)] /= size;
    return Values{Fold(Emit(OpKind::kAllToAll, {value}, type, std::move(attributes)))};
  }

  // Returns a value of the processes that are given by their replicas or partitions; the others get
  // zeros. No process waits: each sends its own value to itself.
  ValueId OnlyOf(const std::vector<int64_t>& numbers, bool are_partitions, ValueId value) {
    std::vector<int64_t> pairs;
    for (const int64_t number : numbers) pairs.insert(pairs.end(), {number, number});
    const ir::TensorType type{ir::DType::kI64, {static_cast<int64_t>(numbers.size()), 2}};
    ir::CollectivePermuteAttributes attributes;
    attributes.source_target_pairs = ir::Literal::FromValues<int64_t>(type, pairs);
    if (are_partitions) attributes.channel_handle = ir::ChannelHandle{1, 1};
    return Emit(OpKind::kCollectivePermute, {value}, FlagType(), std::move(attributes));
  }

  // Returns whether the process is one of `processes`.
  ValueId IsOneOf(const std::vector<int64_t>& processes) {
    std::map<int64_t, std::vector<int64_t>> partitions_of;  // by replica
    for (const int64_t process : processes) {
      partitions_of[process / grid_.num_partitions].push_back(process % grid_.num_partitions);
    }
    // The replicas that have the same partitions.
    std::map<std::vector<int64_t>, std::vector<int64_t>> replicas_of;
    for (auto& [replica, partitions] : partitions_of) {
      std::sort(partitions.begin(), partitions.end());
      replicas_of[partitions].push_back(replica);
    }
    const auto is_all = [](const std::vector<int64_t>& numbers, int64_t count) {
      return static_cast<int64_t>(numbers.size()) == count;
    };
    Values flags;
    for (const auto& [partitions, replicas] : replicas_of) {
      ValueId flag = Number(FlagType(), 1);
      if (!is_all(partitions, grid_.num_partitions)) flag = OnlyOf(partitions, true, flag);
      if (!is_all(replicas, grid_.num_replicas)) flag = OnlyOf(replicas, false, flag);
      flags.push_back(flag);
    }
    if (flags.empty()) return Number(FlagType(), 0);
    ValueId any = flags[0];
    for (size_t i = 1; i < flags.size(); ++i) any = Emit(OpKind::kOr, {any, flags[i]}, FlagType());
    return any;
  }

  // Returns the position of the process in its group; 0 for processes that are in none.
  ValueId Position() {
    size_t largest = 0;
    for (const std::vector<int64_t>& group : groups_) largest = std::max(largest, group.size());
    ValueId position = Number(IndexType(), 0);
    for (size_t bit = 1; bit < largest; bit *= 2) {
      std::vector<int64_t> members;
      for (const std::vector<int64_t>& group : groups_) {
        for (size_t i = 0; i < group.size(); ++i) {
          if ((i & bit) != 0) members.push_back(group[i]);
        }
      }
      const ValueId has_bit = IsOneOf(members);
      const ValueId term =
          Emit(OpKind::kSelect,
               {has_bit, Number(IndexType(), static_cast<int64_t>(bit)), Number(IndexType(), 0)},
               IndexType());
      position = Emit(OpKind::kAdd, {position, term}, IndexType());
    }
    return position;
  }

  // Returns the position of the root of each result, which the last operand has.
  absl::StatusOr<Values> Roots() {
    const ValueId numbers = op_.operands.back();
    const ir::TensorType type = rewriter_.TensorOf(numbers);
    const auto count = static_cast<int64_t>(op_.results.size());
    if (type.num_elements() != count) {
      return absl::InvalidArgumentError(
          absl::StrCat("the root is a ", type.ToString(), " for ", count, " results"));
    }
    Values roots;
    for (int64_t k = 0; k < count; ++k) {
      ValueId root = numbers;
      if (type.rank() == 1) {
        root =
            Emit(OpKind::kSlice, {root}, {type.dtype, {1}}, ir::SliceAttributes{{k}, {k + 1}, {1}});
        root = Emit(OpKind::kReshape, {root}, {type.dtype, {}});
      }
      if (type.dtype != ir::DType::kI64) root = Emit(OpKind::kConvert, {root}, IndexType());
      roots.push_back(root);
    }
    return roots;
  }

  // Returns for each result whether the process is its root.
  absl::StatusOr<Values> AreRoots() {
    if (!op_.As<ir::CollectiveReduceAttributes>().has_dynamic_root) {
      std::vector<int64_t> first;
      for (const std::vector<int64_t>& group : groups_) first.push_back(group[0]);
      return Values(op_.results.size(), IsOneOf(first));
    }
    std::vector<int64_t> members;
    for (const auto& group : groups_) members.insert(members.end(), group.begin(), group.end());
    const ValueId is_member = IsOneOf(members), position = Position();
    ACCELD_ASSIGN_OR_RETURN(Values flags, Roots());
    for (ValueId& flag : flags) {
      flag = Emit(OpKind::kCompare, {position, flag}, FlagType(), ir::CompareAttributes{});
      flag = Emit(OpKind::kAnd, {flag, is_member}, FlagType());
    }
    return flags;
  }

  absl::StatusOr<Values> CollectiveReduce() {
    ACCELD_ASSIGN_OR_RETURN(Values values, AllReduce(Completed(groups_, grid_)));
    ACCELD_ASSIGN_OR_RETURN(const Values are_roots, AreRoots());
    for (size_t k = 0; k < values.size(); ++k) {
      const ir::TensorType type = rewriter_.TensorOf(values[k]);
      values[k] = Emit(OpKind::kSelect, {are_roots[k], values[k], Number(type, 0)}, type);
    }
    return values;
  }

  absl::StatusOr<Values> BroadcastFromOperand() {
    ACCELD_ASSIGN_OR_RETURN(Values values, Gather(groups_));
    ACCELD_ASSIGN_OR_RETURN(const Values roots, Roots());
    const ValueId zero = Number(IndexType(), 0);
    for (size_t k = 0; k < values.size(); ++k) {
      ir::TensorType type = rewriter_.TensorOf(values[k]);
      Values operands = {values[k], roots[k]};
      operands.resize(1 + type.dims.size(), zero);
      type.dims[0] = 1;
      values[k] = Emit(OpKind::kDynamicSlice, std::move(operands), type,
                       ir::DynamicSliceAttributes{{type.dims.begin(), type.dims.end()}});
      type.dims.erase(type.dims.begin());
      values[k] = Emit(OpKind::kReshape, {values[k]}, type);
    }
    return values;
  }

  Rewriter& rewriter_;
  const ir::ProcessGrid& grid_;
  const ir::Op& op_;
  const ir::ProcessGroups groups_;
};

// Converts the operands that the op combines to the type in which it combines them.
void ConvertOperands(Rewriter& rewriter, ir::Op& op) {
  for (size_t i = 0; i < op.results.size(); ++i) {
    ir::TensorType type = rewriter.TensorOf(op.operands[i]);
    const ir::DType wanted = rewriter.TensorOf(op.results[i]).dtype;
    if (type.dtype == wanted) continue;
    type.dtype = wanted;
    op.operands[i] = rewriter.Emit(OpKind::kConvert, {op.operands[i]}, ir::NoAttributes{},
                                   std::move(type), op.location);
  }
}

absl::StatusOr<bool> Visit(const ir::ProcessGrid& grid, Rewriter& rewriter, ir::Op& op) {
  switch (op.kind) {
    case OpKind::kAllReduce:
    case OpKind::kReduceScatter:
      ConvertOperands(rewriter, op);
      if (spmd::StepCombinerOf(rewriter.function(), op.regions[0]).has_value()) return false;
      break;
    case OpKind::kCollectiveReduce:
      ConvertOperands(rewriter, op);
      break;
    case OpKind::kCollectiveBroadcast:
      if (!op.As<ir::CollectiveBroadcastAttributes>().has_dynamic_root) return false;
      break;
    default:
      return false;
  }
  ACCELD_ASSIGN_OR_RETURN(ir::ProcessGroups groups, ir::ProcessGroupsOf(op, grid));
  ACCELD_ASSIGN_OR_RETURN(const Values values,
                          Replacement(rewriter, grid, op, std::move(groups)).Run());
  rewriter.Replace(op.results, values);
  return true;
}

bool HasCollectives(const ir::Module& module) {
  bool found = false;
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [&](const ir::Op& op) {
      found = found || ir::FamilyOf(op.kind) == ir::OpFamily::kCollective;
    });
  }
  return found;
}

}  // namespace

absl::StatusOr<ir::Module> NormalizeCollectives(const ir::Module& module) {
  if (module.grid.size() == 1 || !HasCollectives(module)) return module;
  return RewriteEach(module, [&](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
    absl::StatusOr<bool> done = Visit(module.grid, rewriter, op);
    if (done.ok()) return done;
    return ir::AtOp(Annotate(done.status(), NameOf(op.kind)), op);
  });
}

}  // namespace acceld::compiler
