#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ir/builder.h"
#include "common/ir/import/import_op.h"
#include "common/status.h"

// Collective ops of a program that runs as one process: each group of processes has one member, so
// nothing is exchanged. Source: StableHLO specification, the sections of the ops.
namespace acceld::ir {

bool IsCollective(absl::string_view name);
// The names of all of them, sorted.
std::vector<absl::string_view> Collectives();

// Appends what stands for the collective `op` in the only process and gives its results: the
// operands themselves, converted where all_reduce or reduce_scatter compute in a wider type, or
// zeros where collective_permute sends nothing. INVALID_ARGUMENT for attributes and regions that
// the op cannot have; UNIMPLEMENTED, saying what to do, for groups that name other processes.
// Groups along the axes of a named mesh are left to ProcessGrid.
absl::StatusOr<std::vector<ValueId>> ReplaceCollective(FunctionBuilder& builder,
                                                       const ImportedOp& op);

// The name of the mesh along whose axes the op's groups lie; nullptr if its groups are a list or
// its mesh has no name.
const std::string* MeshOfGroups(const ImportedOp& op);

}  // namespace acceld::ir
