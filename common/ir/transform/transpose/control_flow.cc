// Transposes of calls, branches and loops: their regions are transposed as functions.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/cost/trip_count.h"
#include "common/ir/transform/composites/composite_rule.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/counted_loop.h"
#include "common/ir/transform/lists.h"
#include "common/ir/transform/transposition.h"

namespace acceld::ir {
namespace {

// The values of the transpose that stand for those of `ids` that are not linear.
std::vector<ValueId> KnownOf(const FunctionTransposition& f, absl::Span<const ValueId> ids) {
  std::vector<ValueId> known;
  for (const ValueId id : ids) {
    if (!f.IsLinear(id)) known.push_back(f.KnownOf(id));
  }
  return known;
}

std::vector<ValueId> LinearAmong(const FunctionTransposition& f, absl::Span<const ValueId> ids) {
  std::vector<ValueId> linear;
  for (const ValueId id : ids) {
    if (f.IsLinear(id)) linear.push_back(id);
  }
  return linear;
}

void AddCotangents(Transposition& t, absl::Span<const ValueId> ids,
                   absl::Span<const ValueId> cotangents) {
  for (size_t i = 0; i < ids.size(); ++i) {
    t.function().AddCotangent(t.emit, ids[i], cotangents[i]);
  }
}

std::vector<ValueId> CotangentsOfResults(Transposition& t) {
  std::vector<ValueId> cotangents;
  for (size_t i = 0; i < t.op().results.size(); ++i) cotangents.push_back(t.CotangentOrZeros(i));
  return cotangents;
}

absl::Status TransposeBranches(Transposition& t) {
  FunctionTransposition& f = t.function();
  if (t.IsLinear(0)) return t.Refuse("the choice depends on linear arguments");
  const std::vector<ValueId> captures = CapturesOf(t.op().regions);
  const std::vector<ValueId> arguments = Joined(KnownOf(f, captures), CotangentsOfResults(t));
  const std::vector<ValueId> linear = LinearAmong(f, captures);
  std::vector<Region> regions;
  for (const Region& region : t.op().regions) {
    const Function branch = FunctionOf(f.source(), region, captures);
    ACCELD_ASSIGN_OR_RETURN(const Function transpose,
                            f.transposer().Transpose(branch, f.LinearOf(captures)));
    f.builder().BeginRegion({});
    regions.push_back(f.builder().EndRegion(CopyBody(f.builder(), transpose, arguments)));
  }
  AddCotangents(t, linear,
                t.emit.OpWithRegions(t.op().kind, {t.known(0)}, NoAttributes{}, std::move(regions),
                                     linear.size()));
  return absl::OkStatus();
}

}  // namespace

absl::Status TransposeCallOf(Transposition& t, const std::string& callee) {
  FunctionTransposition& f = t.function();
  const std::vector<ValueId>& operands = t.op().operands;
  ACCELD_ASSIGN_OR_RETURN(const std::string name,
                          f.transposer().TransposeOf(callee, f.LinearOf(operands)));
  AddCotangents(t, LinearAmong(f, operands),
                AddCall(f.transposer().differentiator().module(), f.builder(), name,
                        Joined(KnownOf(f, operands), CotangentsOfResults(t)), t.op().location));
  return absl::OkStatus();
}

absl::Status TransposeCall(Transposition& t) {
  return TransposeCallOf(t, t.As<CallAttributes>().callee.name);
}

absl::Status TransposeComposite(Transposition& t) {
  const CompositeAttributes& attributes = t.As<CompositeAttributes>();
  const CompositeRule* rule = FindCompositeRule(attributes.name);
  if (rule != nullptr && rule->transpose != nullptr) return rule->transpose(t);
  return TransposeCallOf(t, attributes.decomposition.name);
}

absl::Status TransposeCase(Transposition& t) { return TransposeBranches(t); }
absl::Status TransposeIf(Transposition& t) { return TransposeBranches(t); }

// The loop runs backwards. It carries the cotangents of the carried values, and the sums of those
// of the values that its body captures.
absl::Status TransposeWhile(Transposition& t) {
  FunctionTransposition& f = t.function();
  const std::vector<ValueId>& operands = t.op().operands;
  const absl::optional<LoopCounter> counter = CounterOf(Definitions(f.source()), t.op());
  if (!counter.has_value()) return t.Refuse("it does not count to a constant");
  const std::vector<ValueId> captures = CapturesOf(t.op().regions);
  const Function body = FunctionOf(f.source(), t.op().regions[1], captures);
  // All that it carries but the counter may be linear in any iteration.
  Mask linear = f.LinearOf(captures);
  for (size_t i = 0; i < operands.size(); ++i) linear.push_back(i != counter->carried);
  ACCELD_ASSIGN_OR_RETURN(const Function transpose, f.transposer().Transpose(body, linear));

  Emitter& e = t.emit;
  const std::vector<ValueId> captured = KnownOf(f, captures);
  const std::vector<ValueId> linear_captures = LinearAmong(f, captures);
  std::vector<ValueId> initial;
  for (const ValueId id : linear_captures) {
    initial.push_back(e.Constant(f.source().TensorOf(id), 0));
  }
  const size_t num_captures = initial.size();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i != counter->carried) initial.push_back(t.CotangentOrZeros(i));
  }
  const TensorType counter_type = t.operand_type(counter->carried);
  // Backwards.
  const LoopCounter reversed{.first = counter->first + (counter->trip_count - 1) * counter->step,
                             .step = -counter->step};
  const std::vector<ValueId> cotangents = CountedLoop(
      e, f.builder(), counter->trip_count, counter_type.dtype, initial,
      [&](ValueId iteration, const std::vector<ValueId>& values) {
        // The known arguments, then the cotangents of all results, the counter's being zero.
        std::vector<ValueId> arguments = captured;
        arguments.push_back(CountAt(e, reversed, counter_type.dtype, iteration));
        size_t next = num_captures;
        for (size_t i = 0; i < operands.size(); ++i) {
          arguments.push_back(i == counter->carried ? e.Constant(counter_type, 0) : values[next++]);
        }
        std::vector<ValueId> results = CopyBody(f.builder(), transpose, arguments);
        for (size_t i = 0; i < num_captures; ++i) results[i] = e.Add(values[i], results[i]);
        return results;
      });
  AddCotangents(t, linear_captures, absl::MakeConstSpan(cotangents).subspan(0, num_captures));
  size_t next = num_captures;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i != counter->carried) t.AddCotangent(i, cotangents[next++]);
  }
  return absl::OkStatus();
}

// Constants, tuples, barriers, and calls of what is not a function of the module.
ACCELD_NOT_LINEAR(AfterAll)
ACCELD_NOT_LINEAR(Constant)
ACCELD_NOT_LINEAR(CreateToken)
ACCELD_NOT_LINEAR(Fusion)
ACCELD_NOT_LINEAR(GetTupleElement)
ACCELD_NOT_LINEAR(Tuple)

absl::Status TransposeCustomCall(Transposition& t) { return TransposeCustomVjp(t); }

absl::Status TransposeOptimizationBarrier(Transposition& t) {
  const size_t n = t.num_operands();
  const std::vector<ValueId> cotangents = t.emit.OpWithRegions(
      OpKind::kOptimizationBarrier, CotangentsOfResults(t), NoAttributes{}, {}, n);
  for (size_t i = 0; i < n; ++i) t.AddCotangent(i, cotangents[i]);
  return absl::OkStatus();
}

}  // namespace acceld::ir
