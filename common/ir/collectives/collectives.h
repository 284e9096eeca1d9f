#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

// Replaces the collective ops of a program that runs as one process: each group of processes has
// one member, so that nothing is exchanged. Source: StableHLO specification, the sections of the
// ops.
namespace acceld::ir {

// Whether `name` is a collective op.
bool IsCollective(absl::string_view name);
// Returns the names of all collective ops, sorted.
std::vector<absl::string_view> Collectives();

// Appends the ops that compute the collective `op` in the only process and returns its results: the
// operands themselves, converted where all_reduce or reduce_scatter compute in a wider type, or
// zeros where collective_permute sends nothing. INVALID_ARGUMENT for attributes and regions that
// the op cannot have; UNIMPLEMENTED, with advice, for groups that contain other processes. Groups
// along the axes of a named mesh are checked by ProcessGrid.
absl::StatusOr<std::vector<ValueId>> ReplaceCollective(FunctionBuilder& builder,
                                                       const ImportedOp& op);

// Returns the name of the mesh whose axes define the op's groups; nullptr if the groups are a list
// or the mesh has no name.
const std::string* MeshOfGroups(const ImportedOp& op);

}  // namespace acceld::ir
