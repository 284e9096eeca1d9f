// Derivatives of while loops.
//
// Values and tangents together are one loop that carries both. Split, the known loop stacks what
// the linear one needs of each iteration, so both must run a number of times that is known. What
// follows from the number of the iteration is not stacked, but computed again.

#include <algorithm>
#include <utility>

#include "common/ir/cost/trip_count.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/counted_loop.h"
#include "common/ir/transform/derivation.h"
#include "common/ir/transform/iteration_values.h"
#include "common/ir/transform/lists.h"

namespace acceld::ir {
namespace {

using Mode = FunctionDerivation::Mode;
using Residual = LinearizedFunction::Residual;

// A loop under differentiation. Its body, as a function, takes what the regions capture and then
// the carried values.
struct Loop {
  std::vector<ValueId> captures;
  Function body;
  std::vector<ValueId> captured, initial;  // values of the known part
  std::vector<ValueId> captured_tangents;  // of the active captures
  Mask active;                             // of the body's arguments

  size_t num_captures() const { return captures.size(); }
  bool IsCarriedActive(size_t i) const { return active[captures.size() + i]; }
};

Loop LoopOf(const Derivation& d, FunctionDerivation& f) {
  Loop loop;
  loop.captures = CapturesOf(d.op().regions);
  loop.body = FunctionOf(f.source(), d.op().regions[1], loop.captures);
  loop.captured = f.KnownOf(loop.captures);
  loop.initial = f.KnownOf(d.op().operands);
  for (const ValueId id : loop.captures) {
    if (const auto tangent = f.TangentOf(id)) loop.captured_tangents.push_back(*tangent);
  }
  loop.active = f.ActiveOf(loop.captures);
  const Mask carried = f.ActiveOf(d.op().operands);
  loop.active.insert(loop.active.end(), carried.begin(), carried.end());
  return loop;
}

// A carried value is active if it is in any iteration. `differentiate` makes the derivative of the
// body for the active arguments so far. Returns the one for which they are those of its results.
template <typename Differentiate>
auto UntilStable(Loop& loop, const Differentiate& differentiate)
    -> decltype(differentiate(loop.active)) {
  while (true) {
    auto derivative = differentiate(loop.active);
    if (!derivative.ok()) return derivative;
    bool is_stable = true;
    for (size_t i = 0; i < derivative->active_results.size(); ++i) {
      if (derivative->active_results[i] && !loop.IsCarriedActive(i)) {
        loop.active[loop.num_captures() + i] = true;
        is_stable = false;
      }
    }
    if (is_stable) return derivative;
  }
}

// The tangents of the active carried values before the loop.
std::vector<ValueId> InitialTangents(Derivation& d, const Loop& loop) {
  std::vector<ValueId> tangents;
  for (size_t i = 0; i < d.num_operands(); ++i) {
    if (loop.IsCarriedActive(i)) tangents.push_back(d.TangentOrZeros(i));
  }
  return tangents;
}

// The tangents of the active carried values after an iteration, from those of the body's active
// results: a value may have lost its tangent.
std::vector<ValueId> NextTangents(Emitter& e, const Loop& loop, const Mask& active_results,
                                  absl::Span<const ValueId> tangents) {
  std::vector<ValueId> next;
  size_t position = 0;
  for (size_t i = 0; i < active_results.size(); ++i) {
    if (active_results[i]) {
      next.push_back(tangents[position++]);
    } else if (loop.IsCarriedActive(i)) {
      next.push_back(e.Constant(loop.body.TensorOf(loop.body.body.results[i]), 0));
    }
  }
  return next;
}

void SetTangents(Derivation& d, const Loop& loop, absl::Span<const ValueId> tangents) {
  size_t next = 0;
  for (size_t i = 0; i < d.num_operands(); ++i) {
    if (loop.IsCarriedActive(i)) d.AddTangent(tangents[next++], i);
  }
}

// A copy of the loop's condition, which decides by the first of the values.
Region CopyCondition(Derivation& d, const Loop& loop, absl::Span<const Type> types) {
  FunctionDerivation& f = d.function();
  const Function condition = FunctionOf(f.source(), d.op().regions[0], loop.captures);
  const std::vector<ValueId> parameters = f.known().BeginRegion(types);
  const auto carried = absl::MakeConstSpan(parameters).subspan(0, d.num_operands());
  return f.known().EndRegion(CopyBody(f.known(), condition, Joined(loop.captured, carried)));
}

absl::Status DeriveTogether(Derivation& d) {
  FunctionDerivation& f = d.function();
  Loop loop = LoopOf(d, f);
  ACCELD_ASSIGN_OR_RETURN(const JvpFunction jvp, UntilStable(loop, [&](const Mask& active) {
                            return f.differentiator().Jvp(loop.body, active);
                          }));
  const size_t n = d.num_operands();
  const std::vector<ValueId> initial = Joined(loop.initial, InitialTangents(d, loop));
  std::vector<Type> types;
  for (const ValueId id : initial) types.push_back(f.known().TypeOf(id));
  std::vector<Region> regions;
  regions.push_back(CopyCondition(d, loop, types));
  const std::vector<ValueId> parameters = f.known().BeginRegion(types);
  const auto carried = absl::MakeConstSpan(parameters).subspan(0, n);
  const auto tangents = absl::MakeConstSpan(parameters).subspan(n);
  const std::vector<ValueId> results =
      CopyBody(f.known(), jvp.function,
               Joined(Joined(loop.captured, carried), Joined(loop.captured_tangents, tangents)));
  const auto result_span = absl::MakeConstSpan(results);
  regions.push_back(f.known().EndRegion(
      Joined(result_span.subspan(0, n),
             NextTangents(d.known, loop, jvp.active_results, result_span.subspan(n)))));
  const std::vector<ValueId> values = d.known.OpWithRegions(OpKind::kWhile, initial, NoAttributes{},
                                                            std::move(regions), initial.size());
  for (size_t i = 0; i < n; ++i) d.ReplaceResult(i, values[i]);
  SetTangents(d, loop, absl::MakeConstSpan(values).subspan(n));
  return absl::OkStatus();
}

// Where the linear loop finds a residual of the body.
struct ResidualSource {
  bool is_stacked = false;  // or else computed again
  size_t number = 0;        // of its stack, or among what is computed again
};

// The body's argument that is the same in each iteration: a capture, or a carried value that the
// body returns unchanged. nullopt for others.
absl::optional<ValueId> Invariant(const Loop& loop, size_t argument) {
  if (argument < loop.num_captures()) return loop.captured[argument];
  const size_t carried = argument - loop.num_captures();
  const Region& body = loop.body.body;
  if (body.results[carried] != body.parameters[argument]) return absl::nullopt;
  return loop.initial[carried];
}

absl::Status DeriveSplit(Derivation& d) {
  FunctionDerivation& f = d.function();
  const absl::optional<LoopCounter> counter = CounterOf(Definitions(f.source()), d.op());
  if (!counter.has_value()) {
    return d.Refuse(
        "the number of its iterations is not known before it runs; in reverse mode only loops that "
        "count by a constant from a constant to a constant have derivatives");
  }
  Loop loop = LoopOf(d, f);
  ACCELD_ASSIGN_OR_RETURN(const LinearizedFunction split,
                          UntilStable(loop, [&](const Mask& active) {
                            return f.differentiator().Linearize(loop.body, active);
                          }));
  const size_t n = d.num_operands();
  const int64_t count = counter->trip_count;
  const Region& body = split.known.body;
  std::vector<bool> invariant;
  for (size_t i = 0; i < body.parameters.size(); ++i) {
    invariant.push_back(Invariant(loop, i).has_value());
  }
  const IterationValues computable(split.known, invariant, loop.num_captures() + counter->carried,
                                   *counter);

  // What the linear loop needs of each iteration: arguments and results of the known body.
  std::vector<ResidualSource> sources;
  std::vector<Residual> stacked;
  std::vector<ValueId> stacks, again;
  for (const Residual& residual : split.residuals) {
    const ValueId id =
        residual.is_argument ? body.parameters[residual.index] : body.results[residual.index];
    if (computable.Has(id)) {
      sources.push_back({.is_stacked = false, .number = again.size()});
      again.push_back(id);
    } else {
      sources.push_back({.is_stacked = true, .number = stacks.size()});
      stacked.push_back(residual);
      stacks.push_back(EmptyStack(d.known, split.known.TensorOf(id), count));
    }
  }

  // The known loop carries its stacks, then all that the loop carries but its counter.
  const auto position = static_cast<int64_t>(counter->carried);
  const DType counter_type = d.operand_type(counter->carried).dtype;
  std::vector<ValueId> initial = loop.initial;
  initial.erase(initial.begin() + position);
  const size_t num_stacks = stacks.size();
  std::vector<ValueId> known =
      CountedLoop(d.known, f.known(), count, counter_type, Joined(stacks, initial),
                  [&](ValueId iteration, const std::vector<ValueId>& values) {
                    std::vector<ValueId> carried(values.begin() + static_cast<int64_t>(num_stacks),
                                                 values.end());
                    carried.insert(carried.begin() + position,
                                   CountAt(d.known, *counter, counter_type, iteration));
                    const std::vector<ValueId> arguments = Joined(loop.captured, carried);
                    std::vector<ValueId> results = CopyBody(f.known(), split.known, arguments);
                    std::vector<ValueId> next;
                    for (size_t s = 0; s < num_stacks; ++s) {
                      const ValueId element = stacked[s].is_argument ? arguments[stacked[s].index]
                                                                     : results[stacked[s].index];
                      next.push_back(WriteStack(d.known, values[s], iteration, element));
                    }
                    results.resize(n);
                    results.erase(results.begin() + position);
                    return Joined(next, results);
                  });
  std::vector<ValueId> linear_stacks;
  for (size_t s = 0; s < num_stacks; ++s) linear_stacks.push_back(f.InLinear(known[s]));
  known.erase(known.begin(), known.begin() + static_cast<int64_t>(num_stacks));
  const auto after_last = static_cast<uint64_t>(counter->first + count * counter->step);
  known.insert(known.begin() + position,
               d.known.ConstantLike(loop.initial[counter->carried], after_last));
  for (size_t i = 0; i < n; ++i) d.ReplaceResult(i, known[i]);

  // By argument of the body: the values of which residuals are computed again.
  std::vector<ValueId> outside(body.parameters.size());
  const std::vector<bool> used = computable.ArgumentsOf(again);
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i]) outside[i] = f.InLinear(*Invariant(loop, i));
  }
  const std::vector<ValueId> tangents = CountedLoop(
      d.linear, f.linear(), count, counter_type, InitialTangents(d, loop),
      [&](ValueId iteration, const std::vector<ValueId>& values) {
        const std::vector<ValueId> computed =
            computable.Emit(d.linear, f.linear(), iteration, outside, again);
        std::vector<ValueId> arguments = Joined(loop.captured_tangents, values);
        for (const auto& [is_stacked, number] : sources) {
          arguments.push_back(is_stacked ? ReadStack(d.linear, linear_stacks[number], iteration)
                                         : computed[number]);
        }
        return NextTangents(d.linear, loop, split.active_results,
                            CopyBody(f.linear(), split.linear, arguments));
      });
  SetTangents(d, loop, tangents);
  return absl::OkStatus();
}

}  // namespace

absl::Status DeriveWhile(Derivation& d) {
  return d.function().mode() == Mode::kTogether ? DeriveTogether(d) : DeriveSplit(d);
}

}  // namespace acceld::ir
