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

// The body's argument that is the same in each iteration: a capture, or a carried value that the
// body returns unchanged. nullopt for others.
absl::optional<ValueId> Invariant(const Loop& loop, size_t argument) {
  if (argument < loop.num_captures()) return loop.captured[argument];
  const size_t carried = argument - loop.num_captures();
  const Region& body = loop.body.body;
  if (body.results[carried] != body.parameters[argument]) return absl::nullopt;
  return loop.initial[carried];
}

// A loop whose body is split: two loops that count like it. Only the first carries stacks.
class SplitLoop {
 public:
  // Keeps references to all of them.
  SplitLoop(Derivation& d, const Loop& loop, const LoopCounter& counter,
            const LinearizedFunction& split)
      : d_(d),
        f_(d.function()),
        loop_(loop),
        counter_(counter),
        counter_type_(d.operand_type(counter.carried).dtype),
        split_(split),
        computable_(split.known, Invariants(loop), loop.num_captures() + counter.carried, counter) {
    const Region& body = split.known.body;
    for (const Residual& residual : split.residuals) {
      const ValueId id =
          residual.is_argument ? body.parameters[residual.index] : body.results[residual.index];
      if (computable_.Has(id)) {
        sources_.push_back({.is_stacked = false, .number = computed_.size()});
        computed_.push_back(id);
      } else {
        sources_.push_back({.is_stacked = true, .number = stacked_.size()});
        stacked_.push_back(residual);
        stacks_.push_back(EmptyStack(d.known, split.known.TensorOf(id), counter.trip_count));
      }
    }
  }

  // Appends the loop of known values, which fills the stacks, and sets the op's results.
  void AddKnown() {
    // It carries the stacks, then all that the source carries but the counter.
    std::vector<ValueId> initial = loop_.initial;
    initial.erase(initial.begin() + Position());
    std::vector<ValueId> results = CountedLoop(
        d_.known, f_.known(), counter_.trip_count, counter_type_, Joined(stacks_, initial),
        [this](ValueId iteration, const auto& values) { return KnownBody(iteration, values); });
    std::copy_n(results.begin(), stacks_.size(), stacks_.begin());
    results.erase(results.begin(), results.begin() + static_cast<int64_t>(stacks_.size()));
    // The counter wraps around, as the loop's own does.
    const auto after_last =
        static_cast<uint64_t>(counter_.first) +
        static_cast<uint64_t>(counter_.trip_count) * static_cast<uint64_t>(counter_.step);
    results.insert(results.begin() + Position(),
                   d_.known.ConstantLike(loop_.initial[counter_.carried], after_last));
    for (size_t i = 0; i < results.size(); ++i) d_.ReplaceResult(i, results[i]);
  }

  // Appends the loop of tangents; returns those of the active carried values. After AddKnown.
  std::vector<ValueId> AddLinear() {
    std::vector<ValueId> stacks;
    for (const ValueId stack : stacks_) stacks.push_back(f_.InLinear(stack));
    const std::vector<bool> used = computable_.ArgumentsOf(computed_);
    std::vector<ValueId> arguments(used.size());  // of the body, for what is computed again
    for (size_t i = 0; i < used.size(); ++i) {
      if (used[i]) arguments[i] = f_.InLinear(*Invariant(loop_, i));
    }
    return CountedLoop(
        d_.linear, f_.linear(), counter_.trip_count, counter_type_, InitialTangents(d_, loop_),
        [&](ValueId iteration, const std::vector<ValueId>& tangents) {
          const std::vector<ValueId> computed =
              computable_.Emit(d_.linear, f_.linear(), iteration, arguments, computed_);
          std::vector<ValueId> inputs = Joined(loop_.captured_tangents, tangents);
          for (const auto& [is_stacked, number] : sources_) {
            inputs.push_back(is_stacked ? ReadStack(d_.linear, stacks[number], iteration)
                                        : computed[number]);
          }
          return NextTangents(d_.linear, loop_, split_.active_results,
                              CopyBody(f_.linear(), split_.linear, inputs));
        });
  }

 private:
  // Where the linear loop finds a residual of the body.
  struct Source {
    bool is_stacked = false;  // or else computed again
    size_t number = 0;        // of its stack, or among what is computed again
  };

  static std::vector<bool> Invariants(const Loop& loop) {
    std::vector<bool> invariants;
    for (size_t i = 0; i < loop.body.body.parameters.size(); ++i) {
      invariants.push_back(Invariant(loop, i).has_value());
    }
    return invariants;
  }

  int64_t Position() const { return static_cast<int64_t>(counter_.carried); }

  std::vector<ValueId> KnownBody(ValueId iteration, const std::vector<ValueId>& values) {
    const size_t num_stacks = stacks_.size();
    std::vector<ValueId> carried(values.begin() + static_cast<int64_t>(num_stacks), values.end());
    carried.insert(carried.begin() + Position(),
                   CountAt(d_.known, counter_, counter_type_, iteration));
    const std::vector<ValueId> arguments = Joined(loop_.captured, carried);
    std::vector<ValueId> results = CopyBody(f_.known(), split_.known, arguments);
    std::vector<ValueId> next;
    for (size_t s = 0; s < num_stacks; ++s) {
      const auto& [is_argument, index] = stacked_[s];
      next.push_back(WriteStack(d_.known, values[s], iteration,
                                is_argument ? arguments[index] : results[index]));
    }
    results.resize(carried.size());
    results.erase(results.begin() + Position());
    return Joined(next, results);
  }

  Derivation& d_;
  FunctionDerivation& f_;
  const Loop& loop_;
  const LoopCounter& counter_;
  const DType counter_type_;
  const LinearizedFunction& split_;
  const IterationValues computable_;
  std::vector<Source> sources_;    // by residual
  std::vector<Residual> stacked_;  // by stack
  std::vector<ValueId> stacks_;    // of the known part: before the loop, and then after it
  std::vector<ValueId> computed_;  // values of the body that are computed again
};

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
  SplitLoop loops(d, loop, *counter, split);
  loops.AddKnown();
  SetTangents(d, loop, loops.AddLinear());
  return absl::OkStatus();
}

}  // namespace

absl::Status DeriveWhile(Derivation& d) {
  return d.function().mode() == Mode::kTogether ? DeriveTogether(d) : DeriveSplit(d);
}

}  // namespace acceld::ir
