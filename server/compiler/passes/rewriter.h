#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// The tool that passes are written with: walks one function in order and lets a visitor keep, drop
// or replace each op. Operands are resolved to their replacements before an op is visited, and the
// regions of an op are rewritten before the op itself. What has been fused stays as it is.
// Thread-compatible.
class Rewriter {
 public:
  // True: the visitor dealt with the op (it emitted what it wanted and replaced the op's results).
  // False: the op, as the visitor left it, is appended.
  using Visitor = std::function<absl::StatusOr<bool>(Rewriter&, ir::Op&)>;
  // Told before and after each region; for tables that follow scopes.
  struct ScopeListener {
    std::function<void(const ir::Op* owner)> enter, leave;
  };

  // Runs over a copy of `function`; the result is numbered anew, without gaps. RESOURCE_EXHAUSTED
  // when it becomes more than limits::kMaxOps ops.
  static absl::StatusOr<ir::Function> Run(const ir::Function& function, const Visitor& visitor,
                                          const ScopeListener& scopes = {});

  // From now on uses of `from` become uses of `to`, which must be defined already.
  void Replace(ir::ValueId from, ir::ValueId to);
  void Replace(absl::Span<const ir::ValueId> from, absl::Span<const ir::ValueId> to);
  ir::ValueId Resolve(ir::ValueId id) const;

  ir::ValueId NewValue(ir::Type type);
  // Appends an op to the region that is being rewritten.
  void Append(ir::Op op);
  ir::ValueId Emit(ir::OpKind kind, std::vector<ir::ValueId> operands, ir::OpAttributes attributes,
                   ir::Type result_type, ir::Location location);
  ir::ValueId EmitConstant(ir::Literal value, ir::Location location);
  // Copies the ops of a region of `source` (a whole function's body, or a branch of this function)
  // with fresh values to this place; `arguments` stand for its parameters. Returns what its results
  // have become.
  std::vector<ir::ValueId> Splice(const ir::Region& region, const ir::Function& source,
                                  absl::Span<const ir::ValueId> arguments,
                                  absl::flat_hash_map<ir::ValueId, ir::ValueId> outer = {});
  // A copy of a region of this function, with fresh values, for another op.
  ir::Region Clone(const ir::Region& region);

  const ir::Type& TypeOf(ir::ValueId id) const { return function_.value_types[id]; }
  const ir::TensorType& TensorOf(ir::ValueId id) const { return TypeOf(id).tensor(); }
  const ir::Function& function() const { return function_; }
  // The op that gives the value, if it was appended before and is an elementwise or indexing op, a
  // constant or a tuple; nullptr otherwise. Valid until the next Append.
  const ir::Op* DefinitionOf(ir::ValueId id) const;
  // The value if it is a constant, nullptr otherwise.
  const ir::Literal* ConstantOf(ir::ValueId id) const;

 private:
  explicit Rewriter(const ir::Function& function);
  absl::Status RunRegion(ir::Region& region, const ir::Op* owner);
  ir::Op CloneOp(const ir::Op& op, const ir::Function& source,
                 absl::flat_hash_map<ir::ValueId, ir::ValueId>& map);

  ir::Function function_;
  const Visitor* visitor_ = nullptr;
  const ScopeListener* scopes_ = nullptr;
  std::vector<ir::ValueId> replacement_;   // by value; itself when not replaced
  std::vector<std::vector<ir::Op>> open_;  // ops of the open regions so far, outermost first
  std::deque<ir::Op> definitions_;         // copies
  std::vector<int32_t> definition_of_;     // by value: index into definitions_, or -1
  int64_t num_appended_ = 0;
};

// Rewrites every function of a module with the same visitor, and checks the number of ops.
absl::StatusOr<ir::Module> RewriteEach(const ir::Module& module, const Rewriter::Visitor& visitor);

// RESOURCE_EXHAUSTED for more than limits::kMaxOps ops.
absl::Status CheckNumOps(const ir::Module& module);

// Numbers the values of a function in order of definition, without gaps.
ir::Function Renumber(ir::Function function);

// Calls `visit` for every op, those of inner regions after the op that holds them.
void ForEachOp(const ir::Region& region, const std::function<void(const ir::Op&)>& visit);

// Ops whose regions belong to the flow of the program and may use values from outside: while, case
// and if. Regions of other ops (reduce, sort, fusion) are functions of their parameters.
bool IsControlFlow(ir::OpKind kind);

}  // namespace acceld::compiler
