#include "server/compiler/plan/function_planner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/calls/host_callback.h"
#include "common/ir/calls/uninitialized.h"
#include "common/ir/verify/op_error.h"
#include "common/memory/allocation.h"
#include "server/compiler/fusion/attention/attention.h"
#include "server/compiler/fusion/matmul_chain.h"
#include "server/compiler/plan/hints.h"
#include "server/compiler/plan/in_place.h"
#include "server/compiler/plan/moves.h"
#include "server/compiler/plan/steps/convolution.h"
#include "server/compiler/plan/steps/routines.h"
#include "server/compiler/plan/steps/scaled_collectives.h"
#include "server/compiler/spmd/collectives/collective_of.h"

namespace acceld::compiler {
namespace {

// The most arguments that are offered for a result that is not computed in place of an argument.
constexpr size_t kMaxArgumentChoices = 4;

}  // namespace

using ir::OpKind;
using kernels::Slice;

std::string DescribeOp(const ir::Op& op) {
  return op.location.line == 0 ? std::string(NameOf(op.kind))
                               : absl::StrCat(NameOf(op.kind), " (line ", op.location.line, ")");
}

FunctionPlanner::FunctionPlanner(const ir::Function& function, PlanContext& context)
    : function_(function),
      context_(context),
      liveness_(ComputeLiveness(function)),
      buffer_of_(function.value_types.size(), kNoBuffer),
      hints_(function.value_types.size(), kNoBuffer),
      scratch_(function.value_types.size(), kNoOp),
      constants_(function.value_types.size(), nullptr) {}

absl::StatusOr<kernels::PlanFunction> FunctionPlanner::Run() {
  kernels::PlanFunction out;
  out.name = function_.name;
  for (const ir::Type& type : function_.value_types) {
    if (!type.IsTensor()) {
      return absl::UnimplementedError(
          absl::StrCat("@", function_.name, " computes with values of type ", type.ToString()));
    }
  }
  const ir::Region& body = function_.body;
  for (ir::ValueId id : body.parameters) {
    const auto index = static_cast<uint32_t>(out.arguments.size());
    out.arguments.push_back(function_.TensorOf(id));
    arguments_.push_back(
        buffers_.AddFixed({Slice::Space::kArgument, index, 0, out.arguments.back().size_bytes()}));
    BindParameter(id, arguments_.back());
  }
  for (ir::ValueId id : body.results) {
    const auto index = static_cast<uint32_t>(out.results.size());
    out.results.push_back(function_.TensorOf(id));
    results_.push_back(
        buffers_.AddFixed({Slice::Space::kResult, index, 0, out.results.back().size_bytes()}));
  }
  ACCELD_RETURN_IF_ERROR(PlanInto(body, results_, out.steps));
  ACCELD_CHECK(now_ == liveness_.ticks);
  ACCELD_ASSIGN_OR_RETURN(out.arena_bytes, buffers_.Resolve(out.steps));
  return out;
}

absl::Status FunctionPlanner::PlanInto(const ir::Region& region,
                                       const std::vector<BufferId>& targets, Steps& steps) {
  PropagateHints(function_, region, targets, hints_);
  for (BufferId buffer : targets) buffers_.Reserve(buffer);
  ACCELD_RETURN_IF_ERROR(PlanOps(region, steps));
  std::vector<BufferId> sources;
  for (ir::ValueId id : region.results) sources.push_back(BufferOf(id));
  EmitMoves(targets, sources, steps, "results");
  for (BufferId buffer : targets) buffers_.Release(buffer);
  ++now_;
  return absl::OkStatus();
}

void FunctionPlanner::FindScales(const ir::Region& region) {
  if (!context_.generator.ScalesCollectives()) return;
  for (const auto& [collective, scale] : FindScaledCollectives(function_, region, scratch_)) {
    const ir::Op& loop = region.ops[scale.loop];
    scales_[region.ops[collective].results[0]] = {loop.results[0], scale.factor};
    done_by_collectives_.insert(&loop);
  }
}

absl::Status FunctionPlanner::PlanOps(const ir::Region& region, Steps& steps) {
  FindScales(region);
  for (const ir::Op& op : region.ops) {
    ACCELD_RETURN_IF_ERROR(CheckMayContinue("planning a program"));
    ACCELD_RETURN_IF_ERROR(ir::AtOp(PlanOp(op, steps), op));
  }
  return absl::OkStatus();
}

absl::Status FunctionPlanner::PlanOp(const ir::Op& op, Steps& steps) {
  if (op.kind == OpKind::kWhile) return PlanWhile(op, steps);
  if (op.kind == OpKind::kCase || op.kind == OpKind::kIf) return PlanSwitch(op, steps);
  if (done_by_collectives_.contains(&op)) {
    // Its result has been bound.
  } else if (op.kind == OpKind::kConstant) {
    constants_[op.results[0]] = &op.As<ir::ConstantAttributes>().value;
  } else if (IsAlias(function_, op)) {
    Bind(op.results[0], BufferOf(op.operands[0]));
  } else if (op.kind == OpKind::kCall) {
    ACCELD_RETURN_IF_ERROR(PlanCall(op, steps));
  } else {
    if (!PlanMatmul(op, steps) && !PlanConvolution(op, steps) && !PlanAttention(op, steps) &&
        !PlanUninitialized(op)) {
      ACCELD_ASSIGN_OR_RETURN(bool is_call, PlanHostCall(op, steps));
      if (!is_call) {
        ACCELD_ASSIGN_OR_RETURN(is_call, PlanCollective(op, steps));
      }
      if (!is_call) {
        ACCELD_ASSIGN_OR_RETURN(is_call, PlanRoutine(op, steps));
      }
      if (!is_call) ACCELD_RETURN_IF_ERROR(PlanKernels(op, steps));
    }
  }
  ++now_;
  return absl::OkStatus();
}

absl::Status FunctionPlanner::PlanKernels(const ir::Op& op, Steps& steps) {
  ACCELD_ASSIGN_OR_RETURN(const KernelTable::Entry* entry,
                          context_.kernels.Lower(function_, op, constants_));
  std::vector<BufferId> operands, results(op.results.size(), kNoBuffer);
  for (ir::ValueId id : op.operands) operands.push_back(BufferOf(id));
  std::vector<Overwriters> overwriters = FindOverwriters(function_, op);
  bool skip_copy = false;
  // The kernels write only parts of this operand's buffer and read no other elements of it.
  if (entry->in_place_operand.has_value()) overwriters[*entry->in_place_operand] = {.results = 1};
  const auto overwrites = [&](size_t operand, size_t result) {
    const Overwriters& by = overwriters[operand];
    if (!by.Contains(result)) return false;
    return !by.has_other_readers ||
           (entry->kernels.size() == 1 &&
            LoadsBeforeStores(context_.kernels.kernel(entry->kernels[0]),
                              static_cast<uint32_t>(operand),
                              static_cast<uint32_t>(operands.size() + result)));
  };
  // The operands that a result may overwrite.
  std::vector<size_t> overwritten;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (overwriters[i].results != 0) overwritten.push_back(i);
  }
  // Whether the result may overwrite all operands that are in this buffer.
  const auto overwrites_buffer = [&](BufferId b, size_t result) {
    if (buffers_.size_bytes(b) != function_.TensorOf(op.results[result]).size_bytes()) return false;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == b && !overwrites(i, result)) return false;
    }
    return true;
  };
  const auto may_take = [&](size_t operand, size_t result) {
    const BufferId b = operands[operand];
    if (!buffers_.IsWritable(b) || buffers_.last_use(b) > now_) return false;
    if (buffers_.IsReserved(b) && hints_[op.results[result]] != b) return false;
    return overwrites_buffer(b, result) &&
           std::find(results.begin(), results.end(), b) == results.end();
  };
  for (size_t r = 0; r < results.size(); ++r) {
    const BufferId wanted = hints_[op.results[r]];
    const bool wanted_is_free =
        wanted != kNoBuffer && buffers_.IsWritable(wanted) && IsFree(wanted);
    for (const size_t i : overwritten) {
      if (!overwriters[i].Contains(r) || !may_take(i, r)) continue;
      const bool updates = entry->in_place_operand == static_cast<int>(i) && r == 0;
      // Writing directly to the wanted buffer is better than saving a temporary buffer, unless only
      // a part of the result is written.
      if (wanted_is_free && operands[i] != wanted && !updates) continue;
      results[r] = operands[i];
      skip_copy = skip_copy || updates;
      break;
    }
    if (results[r] == kNoBuffer) results[r] = AllocateResult(op.results[r]);
    Bind(op.results[r], results[r]);
    if (buffers_.slice(results[r]).space != Slice::Space::kResult) continue;
    for (const size_t i : overwritten) {
      if (overwriters[i].Contains(r) && overwrites_buffer(operands[i], r)) {
        NoteAligned(operands[i], results[r]);
      }
    }
  }
  int64_t result_bytes = 0;
  for (BufferId b : results) result_bytes += buffers_.size_bytes(b);
  if (result_bytes == 0) return absl::OkStatus();
  size_t first_kernel = skip_copy ? 1 : 0;
  if (entry->in_place_operand.has_value() && !skip_copy) {
    const BufferId from = operands[*entry->in_place_operand];
    if (buffers_.slice(from).space == Slice::Space::kArgument) {
      // This copy does nothing if the argument and the result are the same memory, which the loop
      // above allows unless the kernels read the argument as another operand too.
      EmitCopy(from, results[0], steps, DescribeOp(op));
      first_kernel = 1;
    }
  }
  for (size_t k = first_kernel; k < entry->kernels.size(); ++k) {
    kernels::LaunchStep launch{entry->kernels[k], {}};
    const kernels::OperandRange range =
        entry->operands.empty() ? kernels::OperandRange{0, operands.size()} : entry->operands[k];
    for (size_t i = range.begin; i < range.end; ++i) launch.buffers.push_back(Touched(operands[i]));
    for (BufferId b : results) launch.buffers.push_back(Touched(b));
    steps.push_back({std::move(launch), DescribeOp(op)});
  }
  return absl::OkStatus();
}

bool FunctionPlanner::PlanMatmul(const ir::Op& op, Steps& steps) {
  const bool is_fused =
      op.kind == OpKind::kFusion && op.As<ir::FusionAttributes>().kind == ir::FusionKind::kMatmul;
  if (op.kind != OpKind::kDotGeneral && !is_fused) return false;
  ir::Region alone;
  if (!is_fused) {
    alone.ops = {op};
    alone.results = op.results;
  }
  const ir::Region& region = is_fused ? op.regions[0] : alone;
  const RegionGraph graph(function_, region, scratch_);
  OpIndex dot = 0;
  while (dot < region.ops.size() && region.ops[dot].kind != OpKind::kDotGeneral) ++dot;
  if (dot == region.ops.size()) return false;
  const absl::optional<MatmulChain> chain = MatchMatmulChain(graph, dot, context_.generator);
  if (!chain.has_value() || region.ops[chain->last].results != region.results) return false;
  // Returns the operand of the op for a parameter of the region, and other values as they are.
  const auto outside = [&](ir::ValueId id) {
    const auto& parameters = region.parameters;
    const auto it = std::find(parameters.begin(), parameters.end(), id);
    return it == parameters.end() ? id : op.operands[static_cast<size_t>(it - parameters.begin())];
  };
  const auto buffer_of = [&](ir::ValueId id) { return BufferOf(outside(id)); };
  const auto is_stored = [&](ir::ValueId id) {
    return buffer_of_[outside(id)] != kNoBuffer || constants_[outside(id)] != nullptr;
  };
  if (!is_stored(chain->lhs) || !is_stored(chain->rhs)) return false;
  kernels::MatmulStep matmul = chain->step;
  kernels::MatmulEpilogue& epilogue = matmul.epilogue;
  const BufferId lhs = buffer_of(chain->lhs), rhs = buffer_of(chain->rhs);
  const BufferId bias = epilogue.has_bias ? buffer_of(chain->bias) : kNoBuffer;
  const BufferId addend = epilogue.has_addend() ? buffer_of(chain->addend) : kNoBuffer;
  const bool is_separate_buffer =
      addend != kNoBuffer && addend != lhs && addend != rhs && addend != bias;
  const BufferId out = is_separate_buffer ? AllocateResultOver(op.results[0], addend)
                                          : AllocateResult(op.results[0]);
  Bind(op.results[0], out);
  if (is_separate_buffer) NoteAligned(addend, out);
  matmul.lhs = Touched(lhs);
  matmul.rhs = Touched(rhs);
  if (epilogue.has_bias) epilogue.bias = Touched(bias);
  if (epilogue.has_addend()) epilogue.addend = Touched(addend);
  matmul.out = Touched(out);
  steps.push_back({matmul, DescribeOp(op)});
  return true;
}

bool FunctionPlanner::PlanAttention(const ir::Op& op, Steps& steps) {
  if (op.kind != OpKind::kFusion ||
      op.As<ir::FusionAttributes>().kind != ir::FusionKind::kAttention) {
    return false;
  }
  const ir::Region& region = op.regions[0];
  const RegionGraph graph(function_, region, scratch_);
  absl::optional<AttentionMatch> match;
  for (OpIndex dot = static_cast<OpIndex>(region.ops.size()); dot-- > 0 && !match.has_value();) {
    match = MatchAttention(graph, dot, context_.generator);
  }
  if (!match.has_value() || region.ops[match->last].results != region.results) return false;
  // Returns the operand of the op for a parameter of the region; nullopt for other values. All
  // operands of the attention must be parameters.
  const auto outside = [&](ir::ValueId id) {
    const auto it = std::find(region.parameters.begin(), region.parameters.end(), id);
    return it == region.parameters.end()
               ? absl::optional<ir::ValueId>()
               : op.operands[static_cast<size_t>(it - region.parameters.begin())];
  };
  std::vector<ir::ValueId> operands = {match->query, match->key, match->value};
  if (match->shape.bias.has_value()) operands.push_back(match->bias);
  operands.insert(operands.end(), match->masks.begin(), match->masks.end());
  std::vector<BufferId> buffers;
  for (const ir::ValueId id : operands) {
    const absl::optional<ir::ValueId> value = outside(id);
    if (!value.has_value()) return false;
    buffers.push_back(BufferOf(*value));
  }
  const BufferId out = AllocateResult(op.results[0]);
  Bind(op.results[0], out);
  kernels::AttentionStep step{.shape = std::move(match->shape)};
  auto next = buffers.begin();
  step.query = Touched(*next++);
  step.key = Touched(*next++);
  step.value = Touched(*next++);
  if (step.shape.bias.has_value()) step.bias = Touched(*next++);
  while (next != buffers.end()) step.masks.push_back(Touched(*next++));
  step.out = Touched(out);
  steps.push_back({std::move(step), DescribeOp(op)});
  return true;
}

bool FunctionPlanner::PlanConvolution(const ir::Op& op, Steps& steps) {
  if (op.kind != OpKind::kConvolution) return false;
  absl::optional<kernels::ConvolutionStep> convolution =
      MatchConvolution(function_.TensorOf(op.operands[0]), function_.TensorOf(op.operands[1]),
                       function_.TensorOf(op.results[0]), op.As<ir::ConvolutionAttributes>());
  if (!convolution.has_value() || !context_.generator.SupportsConvolution(*convolution)) {
    return false;
  }
  const BufferId lhs = BufferOf(op.operands[0]), rhs = BufferOf(op.operands[1]);
  const BufferId out = AllocateResult(op.results[0]);
  Bind(op.results[0], out);
  convolution->lhs = Touched(lhs);
  convolution->rhs = Touched(rhs);
  convolution->out = Touched(out);
  if (const int64_t bytes = context_.generator.ScratchBytesOf(*convolution); bytes > 0) {
    convolution->scratch = Touched(buffers_.AddArena(bytes));
  }
  steps.push_back({*convolution, DescribeOp(op)});
  return true;
}

bool FunctionPlanner::PlanUninitialized(const ir::Op& op) {
  if (op.kind != OpKind::kCustomCall ||
      op.As<ir::CustomCallAttributes>().call_target_name != ir::kUninitializedTarget) {
    return false;
  }
  const BufferId buffer = AllocateResult(op.results[0]);
  Bind(op.results[0], buffer);
  Touched(buffer);
  return true;
}

absl::StatusOr<bool> FunctionPlanner::PlanHostCall(const ir::Op& op, Steps& steps) {
  if (!ir::IsHostCallback(op)) return false;
  kernels::HostCallStep step;
  ACCELD_ASSIGN_OR_RETURN(step.call.callback,
                          ir::HostCallbackOf(op.As<ir::CustomCallAttributes>()));
  for (ir::ValueId id : op.operands) {
    step.call.operands.push_back(function_.TensorOf(id));
    step.operands.push_back(Touched(BufferOf(id)));
  }
  for (ir::ValueId id : op.results) {
    const BufferId out = AllocateResult(id);
    Bind(id, out);
    step.call.results.push_back(function_.TensorOf(id));
    step.results.push_back(Touched(out));
  }
  steps.push_back({std::move(step), DescribeOp(op)});
  return true;
}

absl::StatusOr<bool> FunctionPlanner::PlanCollective(const ir::Op& op, Steps& steps) {
  if (ir::FamilyOf(op.kind) != ir::OpFamily::kCollective) return false;
  kernels::CollectiveStep step;
  ACCELD_ASSIGN_OR_RETURN(step.collective, spmd::CollectiveOf(function_, op, context_.grid));
  for (ir::ValueId id : op.operands) step.operands.push_back(Touched(BufferOf(id)));
  for (ir::ValueId id : op.results) {
    if (const auto scale = scales_.find(id); scale != scales_.end()) {
      step.collective.factor = scale->second.factor;
      id = scale->second.result;
    }
    const BufferId out = AllocateResult(id);
    Bind(id, out);
    step.results.push_back(Touched(out));
  }
  steps.push_back({std::move(step), DescribeOp(op)});
  return true;
}

absl::StatusOr<bool> FunctionPlanner::PlanRoutine(const ir::Op& op, Steps& steps) {
  absl::optional<kernels::RoutineCall> call;
  ACCELD_ASSIGN_OR_RETURN(call, MatchRoutine(function_, op));
  if (!call.has_value()) {
    if (op.kind != OpKind::kCustomCall) return false;
    return absl::UnimplementedError(absl::StrCat("custom_call target '",
                                                 op.As<ir::CustomCallAttributes>().call_target_name,
                                                 "' is not supported"));
  }
  kernels::RoutineStep step;
  for (ir::ValueId id : op.operands) step.operands.push_back(Touched(BufferOf(id)));
  for (ir::ValueId id : op.results) {
    const BufferId out = AllocateResult(id);
    Bind(id, out);
    step.results.push_back(Touched(out));
  }
  const bool is_empty = std::all_of(op.results.begin(), op.results.end(), [this](ir::ValueId id) {
    return function_.TensorOf(id).num_elements() == 0;
  });
  if (is_empty) return true;  // Nothing is to be computed.
  step.call = *std::move(call);
  steps.push_back({std::move(step), DescribeOp(op)});
  return true;
}

absl::Status FunctionPlanner::PlanCall(const ir::Op& op, Steps& steps) {
  const std::string& name = op.As<ir::CallAttributes>().callee.name;
  ACCELD_ASSIGN_OR_RETURN(const PlanContext::Callee callee, context_.callee(name));
  kernels::CallStep call{callee.function, {}, {}, {}};
  for (ir::ValueId id : op.operands) call.arguments.push_back(Touched(BufferOf(id)));
  for (ir::ValueId id : op.results) {
    const BufferId out = AllocateResult(id);
    Bind(id, out);
    call.results.push_back(Touched(out));
  }
  call.arena = Touched(buffers_.AddArena(callee.arena_bytes));
  steps.push_back({std::move(call), absl::StrCat("call @", name)});
  return absl::OkStatus();
}

BufferId FunctionPlanner::BufferOf(ir::ValueId id) {
  if (buffer_of_[id] == kNoBuffer) {
    ACCELD_CHECK(constants_[id] != nullptr);
    buffer_of_[id] = buffers_.AddFixed(context_.constants.Add(*constants_[id]));
  }
  return buffer_of_[id];
}

void FunctionPlanner::Bind(ir::ValueId id, BufferId buffer) {
  buffer_of_[id] = buffer;
  // A value without users still occupies its buffer while it is written.
  buffers_.Bind(buffer, std::max(liveness_.last_use[id], now_));
}

void FunctionPlanner::BindParameter(ir::ValueId id, BufferId buffer) {
  buffer_of_[id] = buffer;
  buffers_.Bind(buffer, liveness_.last_use[id]);
}

BufferId FunctionPlanner::AllocateResult(ir::ValueId id) {
  const BufferId wanted = hints_[id];
  const int64_t size = function_.TensorOf(id).size_bytes();
  if (wanted != kNoBuffer && buffers_.IsWritable(wanted) && IsFree(wanted) &&
      buffers_.size_bytes(wanted) == size) {
    return wanted;
  }
  return buffers_.AddArena(size);
}

BufferId FunctionPlanner::AllocateResultOver(ir::ValueId id, BufferId operand) {
  const BufferId wanted = AllocateResult(id);
  const bool is_new = wanted != hints_[id];
  const bool may_take = buffers_.IsWritable(operand) && buffers_.last_use(operand) <= now_ &&
                        buffers_.size_bytes(operand) == function_.TensorOf(id).size_bytes() &&
                        (!buffers_.IsReserved(operand) || hints_[id] == operand);
  return is_new && may_take ? operand : wanted;
}

void FunctionPlanner::NoteAligned(BufferId argument, BufferId result) {
  if (buffers_.slice(argument).space != Slice::Space::kArgument ||
      buffers_.slice(result).space != Slice::Space::kResult ||
      buffers_.size_bytes(argument) != buffers_.size_bytes(result)) {
    return;
  }
  same_element_accesses_.insert({argument, result, now_});
}

std::vector<std::vector<BufferId>> FunctionPlanner::FindArgumentsReadBefore() const {
  // By size, then by the time of the last read.
  absl::flat_hash_map<int64_t, std::vector<std::pair<int32_t, BufferId>>> arguments;
  for (const BufferId argument : arguments_) {
    arguments[buffers_.size_bytes(argument)].emplace_back(LastRead(argument), argument);
  }
  for (auto& [size_bytes, of_size] : arguments) std::sort(of_size.begin(), of_size.end());
  absl::flat_hash_map<int64_t, std::vector<std::pair<int32_t, size_t>>> results;
  for (size_t r = 0; r < results_.size(); ++r) {
    results[buffers_.size_bytes(results_[r])].emplace_back(buffers_.first_touch(results_[r]), r);
  }
  std::vector<std::vector<BufferId>> found(results_.size());
  for (auto& [size_bytes, of_size] : results) {
    std::sort(of_size.begin(), of_size.end());
    const auto& candidates = arguments[size_bytes];
    size_t next = 0;
    std::vector<BufferId> first;  // of those read before, the first ones, in their order
    for (const auto& [written, r] : of_size) {
      for (; next < candidates.size() && candidates[next].first < written; ++next) {
        const BufferId argument = candidates[next].second;
        first.insert(std::upper_bound(first.begin(), first.end(), argument), argument);
        if (first.size() > kMaxArgumentChoices) first.pop_back();
      }
      found[r] = first;
    }
  }
  return found;
}

std::vector<kernels::InputOutputAlias> FunctionPlanner::FindInputOutputAliases() const {
  using Aliases = std::vector<kernels::InputOutputAlias>;  // Of one result.
  // By result: the arguments that are last read at the tick at which the result is first written,
  // where the step allows both to be the same memory (NoteAligned).
  absl::flat_hash_map<BufferId, std::vector<BufferId>> aligned;
  for (const auto& [argument, result, tick] : same_element_accesses_) {
    if (tick == buffers_.first_touch(result) && tick == LastRead(argument)) {
      aligned[result].push_back(argument);
    }
  }
  const std::vector<std::vector<BufferId>> read_before = FindArgumentsReadBefore();
  std::vector<Aliases> in_place, after;
  for (size_t r = 0; r < results_.size(); ++r) {
    const BufferId result = results_[r];
    if (buffers_.first_touch(result) < 0 || buffers_.size_bytes(result) == 0) continue;
    const auto aliases = [&](const std::vector<BufferId>& arguments) {
      Aliases out;
      for (const BufferId argument : arguments) {
        out.push_back({buffers_.slice(argument).index, buffers_.slice(result).index});
      }
      return out;
    };
    std::vector<BufferId>& same = aligned[result];
    std::sort(same.begin(), same.end());
    Aliases here = aliases(same), free = aliases(read_before[r]);
    // If a result is computed in place of an argument, other arguments are not offered: each would
    // restrict the order of steps in a graph.
    if (!here.empty()) {
      in_place.push_back(std::move(here));
    } else if (!free.empty()) {
      after.push_back(std::move(free));
    }
  }
  // The results with the fewest choices come first: a caller that takes the first free choice for
  // each then finds the most pairs.
  std::stable_sort(in_place.begin(), in_place.end(),
                   [](const Aliases& a, const Aliases& b) { return a.size() < b.size(); });
  Aliases all;
  for (const std::vector<Aliases>* list : {&in_place, &after}) {
    for (const Aliases& aliases : *list) all.insert(all.end(), aliases.begin(), aliases.end());
  }
  return all;
}

Slice FunctionPlanner::Touched(BufferId buffer) {
  buffers_.Touch(buffer, now_);
  return buffers_.slice(buffer);
}

void FunctionPlanner::EmitCopy(BufferId from, BufferId to, Steps& steps,
                               const std::string& comment) {
  if (buffers_.size_bytes(from) == 0) return;
  steps.push_back({kernels::CopyStep{Touched(from), Touched(to)}, comment});
}

void FunctionPlanner::EmitMoves(const std::vector<BufferId>& to, const std::vector<BufferId>& from,
                                Steps& steps, const std::string& comment) {
  std::vector<Move> moves;
  for (size_t i = 0; i < to.size(); ++i) moves.push_back({to[i], from[i]});
  const auto temporary = [&](BufferId b) { return buffers_.AddArena(buffers_.size_bytes(b)); };
  for (const Move& move : SequenceMoves(std::move(moves), temporary)) {
    NoteAligned(move.from, move.to);
    EmitCopy(move.from, move.to, steps, comment);
  }
}

}  // namespace acceld::compiler
