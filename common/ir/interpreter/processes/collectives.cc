#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter/elements/elementwise.h"
#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/nests/body.h"
#include "common/ir/interpreter/processes/rendezvous.h"
#include "common/ir/interpreter/tensor.h"
#include "common/ir/processes/process_groups.h"

// Ops that exchange values between processes, or depend on which of them runs. All members of a
// group compute their results from the same operands in the same order, so that equal results have
// equal bits. Source: StableHLO specification, the sections of these ops.
namespace acceld::ir::interpreter {
namespace {

// The group of this process, and what its members bring.
struct Meeting {
  bool is_in_group = false;
  size_t self = 0;  // the index of this process in the group
  Rendezvous::Contributions members;

  // Returns operand k of all members.
  std::vector<Literal> OperandOfAll(size_t k) const {
    std::vector<Literal> operands;
    operands.reserve(members.size());
    for (const std::vector<Literal>& member : members) operands.push_back(member[k]);
    return operands;
  }
};

absl::StatusOr<const Process*> ProcessOf(const EvalContext& c) {
  if (c.machine.process() != nullptr) return c.machine.process();
  return absl::FailedPreconditionError(
      "the op is for one of several processes, but the program is not interpreted as processes and "
      "the op is in no sdy.manual_computation");
}

// Processes that run different functions may bring values of different types.
absl::Status CheckSameTypes(const std::vector<int64_t>& group, const Meeting& meeting) {
  const std::vector<Literal>& own = meeting.members[meeting.self];
  for (size_t i = 0; i < group.size(); ++i) {
    const std::vector<Literal>& other = meeting.members[i];
    bool is_same = own.size() == other.size();
    for (size_t k = 0; is_same && k < own.size(); ++k) is_same = own[k].type() == other[k].type();
    if (!is_same) {
      return absl::InvalidArgumentError(absl::StrCat("the operands of processes ",
                                                     group[meeting.self], " and ", group[i],
                                                     " have different types"));
    }
  }
  return absl::OkStatus();
}

// Waits for the members of the group, which contains the process.
absl::StatusOr<Meeting> MeetGroup(EvalContext& c, const Process& process,
                                  const std::vector<int64_t>& group) {
  std::vector<Literal> operands;
  operands.reserve(c.operands.size());
  for (size_t k = 0; k < c.operands.size(); ++k) operands.push_back(c.operand(k));
  Meeting meeting{.is_in_group = true};
  meeting.self =
      static_cast<size_t>(std::find(group.begin(), group.end(), process.number) - group.begin());
  ACCELD_ASSIGN_OR_RETURN(
      meeting.members, process.rendezvous->Meet(process.number, c.op, group, std::move(operands)));
  ACCELD_RETURN_IF_ERROR(CheckSameTypes(group, meeting));
  return meeting;
}

// Waits for the members of the process's group of an op with replica_groups. Outside of all groups
// it waits for none.
absl::StatusOr<Meeting> Meet(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const Process* process, ProcessOf(c));
  ACCELD_ASSIGN_OR_RETURN(const ProcessGroups groups, ProcessGroupsOf(c.op, process->grid));
  for (const std::vector<int64_t>& group : groups) {
    const bool is_in_group = std::find(group.begin(), group.end(), process->number) != group.end();
    if (is_in_group) return MeetGroup(c, *process, group);
  }
  return Meeting();
}

// As Meet, for ops for which all processes are in groups.
absl::StatusOr<Meeting> MeetInGroup(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(Meeting meeting, Meet(c));
  if (meeting.is_in_group) return meeting;
  return absl::InvalidArgumentError("replica_groups has no group for the process");
}

// The machine names ops in errors only where these have no regions.
EvalResult Named(EvalResult result, const EvalContext& c) {
  if (!result.ok()) return Annotate(result.status(), Describe(c.op));
  return result;
}

Value ZerosOf(const TensorType& type) {
  return Value{.tensor = Literal::Zeros(type), .elements = {}};
}

absl::Status WrongSize(const TensorType& type, int64_t dimension, absl::string_view expected,
                       int64_t size) {
  return absl::InvalidArgumentError(absl::StrCat(
      "dimension ", dimension, " of ", Type(type).ToString(), " is not ", expected, " ", size));
}

// Returns part `index` of `count` equal parts of a tensor along a dimension.
absl::StatusOr<Literal> PartOf(EvalContext& c, const Literal& whole, int64_t dimension,
                               size_t count, size_t index) {
  const auto parts = static_cast<int64_t>(count);
  TensorType type = whole.type();
  int64_t& size = type.dims[static_cast<size_t>(dimension)];
  if (size % parts != 0) return WrongSize(whole.type(), dimension, "a multiple of", parts);
  size /= parts;
  Dims start(type.dims.size(), 0);
  start[static_cast<size_t>(dimension)] = static_cast<int64_t>(index) * size;
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(type.num_elements()));
  TensorBuilder part(type);
  CopyBox(TensorView(whole), start, type.dims, part, Dims(type.dims.size(), 0));
  return part.Finish().tensor;
}

// Returns the tensors one after the other along a dimension; `type` is the type of the result.
absl::StatusOr<Value> Concatenated(EvalContext& c, const std::vector<Literal>& parts,
                                   int64_t dimension, const TensorType& type) {
  const auto d = static_cast<size_t>(dimension);
  int64_t total = 0;
  for (const Literal& part : parts) total += part.type().dims[d];
  if (total != type.dims[d]) return WrongSize(type, dimension, "of size", total);
  ACCELD_RETURN_IF_ERROR(c.machine.Charge(type.num_elements()));
  TensorBuilder result(type);
  Dims start(type.dims.size(), 0);
  for (const Literal& part : parts) {
    const Dims& sizes = part.type().dims;
    CopyBox(TensorView(part), Dims(sizes.size(), 0), sizes, result, start);
    start[d] += sizes[d];
  }
  return result.Finish();
}

// Combines tensors element by element with the op's region, in their order. Their elements are
// first converted to the type that the region combines. f16 and bf16 are accumulated in f32 and
// rounded once, as in a reduce.
absl::StatusOr<Value> Combined(EvalContext& c, const std::vector<Literal>& values,
                               const TensorType& type) {
  const Region& region = c.op.regions[0];
  const DType from = values[0].type().dtype;
  const DType to = c.frame.function.TensorOf(region.parameters[0]).dtype;
  const ElementFunction convert = ElementFunctionOf(OpKind::kConvert, from);
  const OpAttributes no_attributes = NoAttributes{};
  const ElementContext conversion{.operand = from, .result = to, .attributes = &no_attributes};
  std::vector<TensorView> views;
  views.reserve(values.size());
  for (const Literal& value : values) views.emplace_back(value);
  const auto element = [&](size_t member, int64_t i) {
    const Scalar scalar = views[member].At(i);
    return from == to ? scalar : Rounded(to, convert(conversion, &scalar));
  };

  ACCELD_RETURN_IF_ERROR(c.machine.Charge(type.num_elements()));
  Body body(c, region, /*accumulate_wide=*/true);
  TensorBuilder result(type);
  for (int64_t i = 0, count = type.num_elements(); i < count; ++i) {
    Scalar accumulator = element(0, i);
    for (size_t member = 1; member < views.size(); ++member) {
      const Scalar arguments[] = {accumulator, element(member, i)};
      ACCELD_ASSIGN_OR_RETURN(const absl::Span<const Scalar> combined, body.Run(arguments));
      accumulator = combined[0];
    }
    result.Set(i, accumulator);
  }
  return result.Finish();
}

// Returns, for each result, which member of the group is its root.
absl::StatusOr<std::vector<size_t>> RootsOf(const EvalContext& c, const Meeting& meeting,
                                            bool has_dynamic_root) {
  std::vector<size_t> roots(c.op.results.size(), 0);
  if (!has_dynamic_root) return roots;
  const Literal& numbers = meeting.members[meeting.self].back();
  for (const std::vector<Literal>& member : meeting.members) {
    if (member.back() == numbers) continue;
    return absl::InvalidArgumentError("the processes of a group name different roots");
  }
  if (numbers.type().num_elements() != static_cast<int64_t>(roots.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the root is a ", Type(numbers.type()).ToString(), " for ", roots.size(), " results"));
  }
  for (size_t i = 0; i < roots.size(); ++i) {
    const int64_t root = TensorView(numbers).IndexAt(static_cast<int64_t>(i));
    if (root < 0 || root >= static_cast<int64_t>(meeting.members.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("root ", root, " of a group of ", meeting.members.size(), " processes"));
    }
    roots[i] = static_cast<size_t>(root);
  }
  return roots;
}

EvalResult AllReduce(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const Meeting meeting, MeetInGroup(c));
  std::vector<Value> results;
  for (size_t k = 0; k < c.op.results.size(); ++k) {
    ACCELD_ASSIGN_OR_RETURN(results.emplace_back(),
                            Combined(c, meeting.OperandOfAll(k), c.result(k)));
  }
  return results;
}

EvalResult ReduceScatter(EvalContext& c) {
  const int64_t dimension = c.As<ReduceScatterAttributes>().scatter_dimension;
  ACCELD_ASSIGN_OR_RETURN(const Meeting meeting, MeetInGroup(c));
  std::vector<Literal> parts;
  for (const Literal& whole : meeting.OperandOfAll(0)) {
    ACCELD_ASSIGN_OR_RETURN(parts.emplace_back(),
                            PartOf(c, whole, dimension, meeting.members.size(), meeting.self));
  }
  const Dims& dims = parts[0].type().dims;
  if (dims != c.result().dims) {
    return WrongSize(c.result(), dimension, "of size", dims[static_cast<size_t>(dimension)]);
  }
  ACCELD_ASSIGN_OR_RETURN(Value result, Combined(c, parts, c.result()));
  return OneResult(std::move(result));
}

// Processes that are not the root of a result get zeros.
EvalResult CollectiveReduce(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const Meeting meeting, Meet(c));
  std::vector<size_t> roots;
  if (meeting.is_in_group) {
    ACCELD_ASSIGN_OR_RETURN(
        roots, RootsOf(c, meeting, c.As<CollectiveReduceAttributes>().has_dynamic_root));
  }
  std::vector<Value> results;
  for (size_t k = 0; k < c.op.results.size(); ++k) {
    if (!meeting.is_in_group || roots[k] != meeting.self) {
      results.push_back(ZerosOf(c.result(k)));
      continue;
    }
    ACCELD_ASSIGN_OR_RETURN(results.emplace_back(),
                            Combined(c, meeting.OperandOfAll(k), c.result(k)));
  }
  return results;
}

// Returns the processes that exchange values with `process`, directly or through others, ascending.
// The pairs form chains and rings, since each process sends and receives at most once.
std::vector<int64_t> ChainOf(const std::vector<std::pair<int64_t, int64_t>>& pairs, int64_t process,
                             int64_t num_processes) {
  constexpr int64_t kNone = -1;
  std::vector<int64_t> target(static_cast<size_t>(num_processes), kNone);
  std::vector<int64_t> source(static_cast<size_t>(num_processes), kNone);
  for (const auto& [from, to] : pairs) {
    target[static_cast<size_t>(from)] = to;
    source[static_cast<size_t>(to)] = from;
  }
  std::vector<int64_t> chain = {process};
  int64_t next = target[static_cast<size_t>(process)];
  for (; next != kNone && next != process; next = target[static_cast<size_t>(next)]) {
    chain.push_back(next);
  }
  const bool is_ring = next == process;
  int64_t last = is_ring ? kNone : source[static_cast<size_t>(process)];
  for (; last != kNone; last = source[static_cast<size_t>(last)]) chain.push_back(last);
  std::sort(chain.begin(), chain.end());
  return chain;
}

}  // namespace

EvalResult EvalAllGather(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const Meeting meeting, MeetInGroup(c));
  std::vector<Value> results;
  for (size_t k = 0; k < c.op.results.size(); ++k) {
    ACCELD_ASSIGN_OR_RETURN(results.emplace_back(),
                            Concatenated(c, meeting.OperandOfAll(k),
                                         c.As<AllGatherAttributes>().all_gather_dim, c.result(k)));
  }
  return results;
}

EvalResult EvalAllReduce(EvalContext& c) { return Named(AllReduce(c), c); }

EvalResult EvalAllToAll(EvalContext& c) {
  const auto& attributes = c.As<AllToAllAttributes>();
  ACCELD_ASSIGN_OR_RETURN(const Meeting meeting, MeetInGroup(c));
  if (static_cast<int64_t>(meeting.members.size()) != attributes.split_count) {
    return absl::InvalidArgumentError(absl::StrCat("split_count is ", attributes.split_count,
                                                   ", but a group has ", meeting.members.size(),
                                                   " processes"));
  }
  std::vector<Value> results;
  for (size_t k = 0; k < c.op.results.size(); ++k) {
    std::vector<Literal> parts;
    for (const Literal& sent : meeting.OperandOfAll(k)) {
      ACCELD_ASSIGN_OR_RETURN(parts.emplace_back(), PartOf(c, sent, attributes.split_dimension,
                                                           meeting.members.size(), meeting.self));
    }
    ACCELD_ASSIGN_OR_RETURN(results.emplace_back(),
                            Concatenated(c, parts, attributes.concat_dimension, c.result(k)));
  }
  return results;
}

// Processes outside of all groups get zeros.
EvalResult EvalCollectiveBroadcast(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const Meeting meeting, Meet(c));
  std::vector<Value> results;
  if (!meeting.is_in_group) {
    for (size_t k = 0; k < c.op.results.size(); ++k) results.push_back(ZerosOf(c.result(k)));
    return results;
  }
  ACCELD_ASSIGN_OR_RETURN(
      const std::vector<size_t> roots,
      RootsOf(c, meeting, c.As<CollectiveBroadcastAttributes>().has_dynamic_root));
  for (size_t k = 0; k < c.op.results.size(); ++k) {
    results.push_back(Value{.tensor = meeting.members[roots[k]][k], .elements = {}});
  }
  return results;
}

// Processes to which none sends get zeros.
EvalResult EvalCollectivePermute(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const Process* process, ProcessOf(c));
  ACCELD_ASSIGN_OR_RETURN(const auto pairs, ProcessPairsOf(c.op, process->grid));
  const std::vector<int64_t> chain = ChainOf(pairs, process->number, process->grid.size());
  ACCELD_ASSIGN_OR_RETURN(const Meeting meeting, MeetGroup(c, *process, chain));
  for (const auto& [source, target] : pairs) {
    if (target != process->number) continue;
    const auto index = std::find(chain.begin(), chain.end(), source) - chain.begin();
    return OneResult(
        Value{.tensor = meeting.members[static_cast<size_t>(index)][0], .elements = {}});
  }
  return OneResult(ZerosOf(c.result()));
}

EvalResult EvalCollectiveReduce(EvalContext& c) { return Named(CollectiveReduce(c), c); }

EvalResult EvalPartitionId(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const Process* process, ProcessOf(c));
  return OneResult(MakeSplat(c.result(), OfInteger(process->partition())));
}

EvalResult EvalReduceScatter(EvalContext& c) { return Named(ReduceScatter(c), c); }

EvalResult EvalReplicaId(EvalContext& c) {
  ACCELD_ASSIGN_OR_RETURN(const Process* process, ProcessOf(c));
  return OneResult(MakeSplat(c.result(), OfInteger(process->replica())));
}

}  // namespace acceld::ir::interpreter
