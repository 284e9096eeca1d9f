#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// The tool with which most passes are written. It walks over the ops of one function in order, and
// a visitor keeps, removes or replaces each op. Before an op is visited, its operands are resolved
// to their replacements and its regions are rewritten. The regions of fusions are not rewritten.
// Thread-compatible.
class Rewriter {
 public:
  // Visits an op. Returns true if the visitor has handled the op: it has appended the ops that it
  // wants instead and has replaced the op's results. Returns false if the op, which the visitor may
  // have changed, is to be appended.
  using Visitor = std::function<absl::StatusOr<bool>(Rewriter&, ir::Op&)>;
  // Functions that are called before and after each region is rewritten, for tables that depend on
  // scopes. `owner` is the op that contains the region, or nullptr for the function's body. Either
  // function may be empty.
  struct ScopeListener {
    std::function<void(const ir::Op* owner)> enter, leave;
  };

  // Rewrites a copy of `function` and returns it, with its values renumbered (Renumber). Returns
  // RESOURCE_EXHAUSTED if it has more than limits::kMaxOps ops, and errors of the visitor.
  static absl::StatusOr<ir::Function> Run(const ir::Function& function, const Visitor& visitor,
                                          const ScopeListener& scopes = {});

  // Replaces the uses of `from` in ops that are visited later by `to`, which must be defined
  // already.
  void Replace(ir::ValueId from, ir::ValueId to);
  void Replace(absl::Span<const ir::ValueId> from, absl::Span<const ir::ValueId> to);
  // Returns the replacement of a value, or the value itself if it was not replaced.
  ir::ValueId Resolve(ir::ValueId id) const;

  // Adds a value to the function, for an op that is to be appended.
  ir::ValueId NewValue(ir::Type type);
  // Appends an op to the region that is being rewritten, before the op that is being visited.
  void Append(ir::Op op);
  // Appends an op with one new result, and returns the result.
  ir::ValueId Emit(ir::OpKind kind, std::vector<ir::ValueId> operands, ir::OpAttributes attributes,
                   ir::Type result_type, ir::Location location);
  ir::ValueId EmitConstant(ir::Literal value, ir::Location location);
  // Appends copies of the ops of a region of `source` (a function's body, or a region of this
  // function) that define new values. `arguments` replace the region's parameters, and `outer` maps
  // other values that the region uses; in a region of this function, those that are not mapped stay
  // the same. Returns the values that correspond to the region's results.
  std::vector<ir::ValueId> Splice(const ir::Region& region, const ir::Function& source,
                                  absl::Span<const ir::ValueId> arguments,
                                  absl::flat_hash_map<ir::ValueId, ir::ValueId> outer = {});
  // Returns a copy of a region of this function that defines new values, for use in another op.
  ir::Region Clone(const ir::Region& region);

  const ir::Type& TypeOf(ir::ValueId id) const { return function_.value_types[id]; }
  const ir::TensorType& TensorOf(ir::ValueId id) const { return TypeOf(id).tensor(); }
  const ir::Function& function() const { return function_; }
  // Returns the op that defines the value, if that op was appended before and is an elementwise or
  // indexing op, a dynamic_update_slice, a constant or a tuple; nullptr otherwise. Valid until the
  // next Append.
  const ir::Op* DefinitionOf(ir::ValueId id) const;
  // Returns the value of a constant that was appended before; nullptr for other values.
  const ir::Literal* ConstantOf(ir::ValueId id) const;

 private:
  explicit Rewriter(const ir::Function& function);
  absl::Status RunRegion(ir::Region& region, const ir::Op* owner);
  ir::Op CloneOp(const ir::Op& op, const ir::Function& source,
                 absl::flat_hash_map<ir::ValueId, ir::ValueId>& map);

  ir::Function function_;
  const Visitor* visitor_ = nullptr;
  const ScopeListener* scopes_ = nullptr;
  std::vector<ir::ValueId> replacement_;   // by value; the value itself if it was not replaced
  std::vector<std::vector<ir::Op>> open_;  // the ops appended to each open region, outermost first
  std::deque<ir::Op> definitions_;         // copies of the ops that DefinitionOf returns
  std::vector<int32_t> definition_of_;     // by value: index into definitions_, or -1
  int64_t num_appended_ = 0;
};

// Rewrites every function of a module with the same visitor. Returns RESOURCE_EXHAUSTED if the
// module then has more than limits::kMaxOps ops, and errors of the visitor.
absl::StatusOr<ir::Module> RewriteEach(const ir::Module& module, const Rewriter::Visitor& visitor);

// Returns RESOURCE_EXHAUSTED if the module has more than limits::kMaxOps ops.
absl::Status CheckNumOps(const ir::Module& module);

// Numbers the values of a function in the order of their definitions, without gaps.
ir::Function Renumber(ir::Function function);

// Calls `visit` for every op of a region and of the regions inside it. An op is visited before the
// ops of its own regions.
void ForEachOp(const ir::Region& region, const std::function<void(const ir::Op&)>& visit);

// Whether the op is a while, case or if, whose regions are parts of the program's control flow and
// may use values from outside. The regions of other ops (reduce, sort, fusion) become code of one
// kernel, and passes treat them as functions of their parameters (isolate_nests.h).
bool IsControlFlow(ir::OpKind kind);

}  // namespace acceld::compiler
