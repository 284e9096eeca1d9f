#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "common/ir/infer/infer.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

namespace acceld::ir {

// Builds one function op by op and infers the types of its values. For readers of programs, the
// tracing client, passes and tests. Not thread-safe.
//
// Regions are built before the op that holds them, the innermost first, on a stack:
//   b.BeginRegion({types...});  ... b.Add(...) ...;  Region body = b.EndRegion(results);
//   b.Add(OpKind::kWhile, {x}, NoAttributes{}, {std::move(cond), std::move(body)});
class FunctionBuilder {
 public:
  explicit FunctionBuilder(std::string name, bool is_public = true);

  // Adds a parameter to the function.
  ValueId AddParameter(Type type);

  // Appends an op to the innermost open region and returns its results. `declared` are the result
  // types: some ops need them (InferContext::declared); for others they may be empty, or else must
  // be compatible with the inferred types and are used. `callee` is needed for calls.
  // INVALID_ARGUMENT when the op breaks its inference rule; the builder is then unchanged.
  absl::StatusOr<std::vector<ValueId>> Add(OpKind kind, std::vector<ValueId> operands,
                                           OpAttributes attributes = NoAttributes{},
                                           std::vector<Region> regions = {},
                                           absl::Span<const Type> declared = {},
                                           Location location = {},
                                           const InferContext::RegionSignature* callee = nullptr);
  // As Add, for ops with exactly one result.
  absl::StatusOr<ValueId> AddOne(OpKind kind, std::vector<ValueId> operands,
                                 OpAttributes attributes = NoAttributes{},
                                 absl::Span<const Type> declared = {}, Location location = {});

  // Appends a constant.
  ValueId Constant(Literal value);

  // Appends a copy of an op of the function `source`, without inference; for passes that copy
  // verified ops. The copy has new ids for its results and for all values in its regions.
  // `value_map` maps ids of `source` to ids of this builder; it must have the values that the op
  // uses, and the new ones are added.
  void Clone(const Op& op, const Function& source,
             absl::flat_hash_map<ValueId, ValueId>& value_map);
  // Returns a copy of a region of `source`, for the next op at this level; as Clone.
  Region CloneRegion(const Region& region, const Function& source,
                     absl::flat_hash_map<ValueId, ValueId>& value_map);
  // Appends a new op with the given result types, without inference; returns its results.
  std::vector<ValueId> AddUnchecked(OpKind kind, std::vector<ValueId> operands,
                                    OpAttributes attributes, std::vector<Region> regions,
                                    absl::Span<const Type> result_types, Location location = {});

  // Opens a region of the next op at this level; returns its parameters.
  std::vector<ValueId> BeginRegion(absl::Span<const Type> parameter_types);
  // Closes the innermost open region, which returns `results`.
  Region EndRegion(std::vector<ValueId> results);

  const Type& TypeOf(ValueId id) const { return function_.value_types[id]; }
  const Function& function() const { return function_; }
  // Returns the types of a region's parameters and results.
  InferContext::RegionSignature SignatureOf(const Region& region) const;

  // Returns the function, whose results are `results`. The builder must not be used afterwards.
  Function Finish(std::vector<ValueId> results);

 private:
  ValueId NewValue(Type type);

  Function function_;
  std::vector<Region> open_regions_;  // [0] is the function's body
};

}  // namespace acceld::ir
