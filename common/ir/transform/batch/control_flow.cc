// Calls, branches and loops of batches. Where examples choose different branches, all branches are
// computed and each example takes its own; a loop goes on until no example does.

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "common/ir/transform/batching.h"
#include "common/ir/transform/composites/composite_rule.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/lists.h"

namespace acceld::ir {
namespace {

Mask Union(Mask a, const Mask& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

// Copies a batched function, and gives all results of `wanted` the dimension of the examples.
std::vector<ValueId> CopyBatched(Batching& b, const BatchedFunction& batched,
                                 absl::Span<const ValueId> arguments, const Mask& wanted) {
  std::vector<ValueId> results = CopyBody(b.function().builder(), batched.function, arguments);
  for (size_t i = 0; i < results.size(); ++i) {
    if (wanted[i] && !batched.batched_results[i]) {
      results[i] = b.function().ForAll(b.emit, results[i]);
    }
  }
  return results;
}

void SetResults(Batching& b, absl::Span<const ValueId> values, const Mask& batched) {
  for (size_t i = 0; i < b.op().results.size(); ++i) {
    b.function().Set(b.op().results[i], values[i], batched[i]);
  }
}

// For each example the element of `a` or `b`, both batched, for which `predicate` says so.
ValueId SelectExamples(Batching& batching, ValueId predicate, ValueId a, ValueId b) {
  Emitter& e = batching.emit;
  if (!e.ok()) return 0;
  return e.Select(e.Broadcast(predicate, e.TypeOf(a).dims, {0}), a, b);
}

absl::Status BatchBranches(Batching& b) {
  FunctionBatching& f = b.function();
  const std::vector<ValueId> captures = CapturesOf(b.op().regions);
  const std::vector<ValueId> arguments = f.ValuesOf(captures);
  std::vector<BatchedFunction> branches;
  Mask all(b.op().results.size());
  for (const Region& region : b.op().regions) {
    const Function branch = FunctionOf(f.source(), region, captures);
    ACCELD_ASSIGN_OR_RETURN(BatchedFunction batched,
                            f.batcher().Batch(branch, f.BatchedOf(captures)));
    all = Union(all, batched.batched_results);
    branches.push_back(std::move(batched));
  }
  if (!b.IsBatched(0)) {
    std::vector<Region> regions;
    for (const BatchedFunction& branch : branches) {
      f.builder().BeginRegion({});
      regions.push_back(f.builder().EndRegion(CopyBatched(b, branch, arguments, all)));
    }
    SetResults(b,
               b.emit.OpWithRegions(b.op().kind, {b.operand(0)}, NoAttributes{}, std::move(regions),
                                    all.size()),
               all);
    return absl::OkStatus();
  }
  all.assign(all.size(), true);
  Emitter& e = b.emit;
  std::vector<ValueId> results;
  if (b.op().kind == OpKind::kIf) {
    const std::vector<ValueId> yes = CopyBatched(b, branches[0], arguments, all);
    const std::vector<ValueId> no = CopyBatched(b, branches[1], arguments, all);
    for (size_t i = 0; i < all.size(); ++i) {
      results.push_back(SelectExamples(b, b.operand(0), yes[i], no[i]));
    }
  } else {
    // The last branch is also that of all indices that are none.
    results = CopyBatched(b, branches.back(), arguments, all);
    for (size_t n = 0; n + 1 < branches.size(); ++n) {
      const std::vector<ValueId> values = CopyBatched(b, branches[n], arguments, all);
      const ValueId chosen = e.Compare(ComparisonDirection::kEq, b.operand(0),
                                       e.Fill(b.operand(0), static_cast<double>(n)));
      for (size_t i = 0; i < all.size(); ++i) {
        results[i] = SelectExamples(b, chosen, values[i], results[i]);
      }
    }
  }
  SetResults(b, results, all);
  return absl::OkStatus();
}

// Whether operands and results of the target may have leading dimensions for many examples, as
// those of JAX's linear algebra may.
bool TakesBatches(absl::string_view target) {
  return absl::EndsWith(target, "_ffi") &&
         (absl::StartsWith(target, "lapack_") || absl::StartsWith(target, "cusolver_") ||
          absl::StartsWith(target, "hipsolver_"));
}

}  // namespace

absl::Status BatchCallOf(Batching& b, const std::string& callee) {
  FunctionBatching& f = b.function();
  ACCELD_ASSIGN_OR_RETURN(const Batcher::Callee batched,
                          f.batcher().BatchOf(callee, f.BatchedOf(b.op().operands)));
  SetResults(b,
             AddCall(f.batcher().module(), f.builder(), batched.name, f.ValuesOf(b.op().operands),
                     b.op().location),
             batched.batched_results);
  return absl::OkStatus();
}

absl::Status BatchCall(Batching& b) { return BatchCallOf(b, b.As<CallAttributes>().callee.name); }
absl::Status BatchCase(Batching& b) { return BatchBranches(b); }
absl::Status BatchComposite(Batching& b) {
  const CompositeAttributes& attributes = b.As<CompositeAttributes>();
  const CompositeRule* rule = FindCompositeRule(attributes.name);
  if (rule != nullptr && rule->batch != nullptr) return rule->batch(b);
  return BatchCallOf(b, attributes.decomposition.name);
}
absl::Status BatchIf(Batching& b) { return BatchBranches(b); }

absl::Status BatchWhile(Batching& b) {
  FunctionBatching& f = b.function();
  const std::vector<ValueId> captures = CapturesOf(b.op().regions);
  const Function condition = FunctionOf(f.source(), b.op().regions[0], captures);
  const Function body = FunctionOf(f.source(), b.op().regions[1], captures);
  const std::vector<ValueId> captured = f.ValuesOf(captures);
  const size_t n = b.num_operands();

  // A carried value is batched if it is in any iteration; all are if the condition is.
  Mask carried = f.BatchedOf(b.op().operands);
  BatchedFunction batched_condition, batched_body;
  while (true) {
    Mask mask = f.BatchedOf(captures);
    mask.insert(mask.end(), carried.begin(), carried.end());
    ACCELD_ASSIGN_OR_RETURN(batched_condition, f.batcher().Batch(condition, mask));
    ACCELD_ASSIGN_OR_RETURN(batched_body, f.batcher().Batch(body, mask));
    Mask next = Union(carried, batched_body.batched_results);
    if (batched_condition.batched_results[0]) next.assign(n, true);
    if (next == carried) break;
    carried = std::move(next);
  }
  const bool ends_differ = batched_condition.batched_results[0];

  std::vector<ValueId> initial;
  std::vector<Type> types;
  for (size_t i = 0; i < n; ++i) {
    initial.push_back(carried[i] ? b.BatchedOperand(i) : b.operand(i));
    types.push_back(f.builder().TypeOf(initial.back()));
  }
  Emitter& e = b.emit;
  std::vector<Region> regions;
  std::vector<ValueId> values = f.builder().BeginRegion(types);
  ValueId goes_on =
      CopyBody(f.builder(), batched_condition.function, Joined(captured, values)).front();
  if (ends_differ) {
    std::vector<Region> reducer;
    reducer.push_back(e.Reducer(OpKind::kOr, DType::kI1));
    goes_on = e.OpWithRegions(OpKind::kReduce, {goes_on, e.Constant({DType::kI1, {}}, 0)},
                              DimensionsAttributes{{0}}, std::move(reducer))
                  .front();
  }
  regions.push_back(f.builder().EndRegion({goes_on}));

  values = f.builder().BeginRegion(types);
  std::vector<ValueId> next = CopyBatched(b, batched_body, Joined(captured, values), carried);
  if (ends_differ) {
    const ValueId goes =
        CopyBody(f.builder(), batched_condition.function, Joined(captured, values)).front();
    for (size_t i = 0; i < n; ++i) next[i] = SelectExamples(b, goes, next[i], values[i]);
  }
  regions.push_back(f.builder().EndRegion(std::move(next)));
  SetResults(b, e.OpWithRegions(OpKind::kWhile, initial, NoAttributes{}, std::move(regions), n),
             carried);
  return absl::OkStatus();
}

// These have no operands that could be batched.
absl::Status BatchAfterAll(Batching&) { return absl::OkStatus(); }
absl::Status BatchConstant(Batching&) { return absl::OkStatus(); }
absl::Status BatchCreateToken(Batching&) { return absl::OkStatus(); }

absl::Status BatchGetTupleElement(Batching& b) { return b.Refuse("tuples have no examples"); }
absl::Status BatchTuple(Batching& b) { return b.Refuse("tuples have no examples"); }

absl::Status BatchCustomCall(Batching& b) {
  if (b.As<CustomCallAttributes>().has_side_effect) {
    return b.Refuse("it has side effects, whose order would not be defined");
  }
  if (!TakesBatches(b.As<CustomCallAttributes>().call_target_name)) return b.OneByOne();
  std::vector<Type> types;
  for (size_t i = 0; i < b.op().results.size(); ++i) types.push_back(b.BatchedResultType(i));
  const std::vector<ValueId> results = b.function().builder().AddUnchecked(
      OpKind::kCustomCall, b.BatchedOperands(), b.op().attributes, {}, types, b.op().location);
  for (size_t i = 0; i < results.size(); ++i) b.SetResult(results[i], i);
  return absl::OkStatus();
}

absl::Status BatchOptimizationBarrier(Batching& b) {
  FunctionBatching& f = b.function();
  SetResults(b,
             b.emit.OpWithRegions(OpKind::kOptimizationBarrier, f.ValuesOf(b.op().operands), {}, {},
                                  b.num_operands()),
             f.BatchedOf(b.op().operands));
  return absl::OkStatus();
}

}  // namespace acceld::ir
