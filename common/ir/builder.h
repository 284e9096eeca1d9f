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

// Builds one function op by op, inferring types. Used by readers, the tracing client, passes and
// tests. Thread-compatible; use one builder from one thread.
//
// Regions are built innermost-first on a stack:
//   b.BeginRegion({types...});  ... b.Add(...) ...;  Region body = b.EndRegion(results);
//   b.Add(OpKind::kWhile, {x}, NoAttributes{}, {std::move(cond), std::move(body)});
class FunctionBuilder {
 public:
  explicit FunctionBuilder(std::string name, bool is_public = true);

  ValueId AddParameter(Type type);

  // Appends an op to the innermost open region and gives its results. `declared` are the result
  // types where the op needs them (InferContext::declared); for others they may be empty, or are
  // checked for compatibility. `callee` is needed for calls. Errors leave the builder unchanged.
  absl::StatusOr<std::vector<ValueId>> Add(OpKind kind, std::vector<ValueId> operands,
                                           OpAttributes attributes = NoAttributes{},
                                           std::vector<Region> regions = {},
                                           absl::Span<const Type> declared = {},
                                           Location location = {},
                                           const InferContext::RegionSignature* callee = nullptr);
  // The same for ops with exactly one result.
  absl::StatusOr<ValueId> AddOne(OpKind kind, std::vector<ValueId> operands,
                                 OpAttributes attributes = NoAttributes{},
                                 absl::Span<const Type> declared = {}, Location location = {});

  ValueId Constant(Literal value);

  // Appends an op as it is, with fresh ids for its results and for everything in its regions, and
  // without inference: for passes that copy verified ops. `value_map` maps the source's ids to this
  // builder's and is extended. `source` is the function that the op stands in.
  void Clone(const Op& op, const Function& source,
             absl::flat_hash_map<ValueId, ValueId>& value_map);
  // Appends a new op with given result types, without inference.
  std::vector<ValueId> AddUnchecked(OpKind kind, std::vector<ValueId> operands,
                                    OpAttributes attributes, std::vector<Region> regions,
                                    absl::Span<const Type> result_types, Location location = {});

  // Opens a region inside the op to come; returns its parameters.
  std::vector<ValueId> BeginRegion(absl::Span<const Type> parameter_types);
  Region EndRegion(std::vector<ValueId> results);

  const Type& TypeOf(ValueId id) const { return function_.value_types[id]; }
  const Function& function() const { return function_; }
  // Types of a region's parameters and results.
  InferContext::RegionSignature SignatureOf(const Region& region) const;

  // Ends the function; the builder is spent.
  Function Finish(std::vector<ValueId> results);

 private:
  ValueId NewValue(Type type);
  Region CloneRegion(const Region& region, const Function& source,
                     absl::flat_hash_map<ValueId, ValueId>& value_map);

  Function function_;
  std::vector<Region> open_regions_;  // [0] is the body
};

}  // namespace acceld::ir
