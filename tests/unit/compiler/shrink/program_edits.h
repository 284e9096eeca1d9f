#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"

// Edits of functions in place, for what tries many and keeps few: an edit may leave a function that
// does not verify, and the caller asks the verifier. Ids of values are stable; an op is known by
// its first result.
namespace acceld::compiler {

// Where an op stands. Any edit that adds or removes ops ends it.
struct OpPosition {
  ir::Region* region;
  size_t index;
  ir::Op& op() const { return region->ops[index]; }
};
std::optional<OpPosition> FindOp(ir::Function& function, ir::ValueId first_result);

// First results of the ops of the body and of the branches and loops in it, in order. The regions
// of other ops (a reduction's, a sort's) count as parts of their op.
std::vector<ir::ValueId> OpsInControlFlow(const ir::Function& function);

// Values that decide how often loops run, within the function: with others they may run for long.
absl::flat_hash_set<ir::ValueId> LoopControl(const ir::Function& function);

void ReplaceUses(ir::Function& function, ir::ValueId from, ir::ValueId to);
// A constant just before the op at `position`.
ir::ValueId InsertConstant(ir::Function& function, OpPosition position, ir::Literal value);

// Puts the ops of a branch, or of a loop's body to run once, in place of their if, case or
// while.
void InlineRegion(ir::Function& function, OpPosition position, size_t region);
// Puts a copy of the callee's ops in place of a call.
void InlineCall(ir::Function& function, OpPosition position, const ir::Function& callee);

// Removes result `i` of an if, case or while, with what computes and carries it. False for others.
bool DropResult(ir::Op& op, size_t i);
// Removes result or parameter `i` of a function that is called, from all calls, too.
void DropFunctionResult(ir::Module& module, ir::Function& callee, size_t i);
void DropFunctionParameter(ir::Module& module, ir::Function& callee, size_t i);

void DropUnusedOps(ir::Module& module);
// Removes functions that nothing calls, save for the first, which is the entry.
void DropUncalled(ir::Module& module);

}  // namespace acceld::compiler
