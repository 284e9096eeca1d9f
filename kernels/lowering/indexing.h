#pragma once

#include "common/ir/module.h"
#include "kernels/lowering/elements/element_emitter.h"

// Indexing ops: the elements of their results are elements of their operands at other indices, or
// are computed from the index. Generate<Kind>, for each op of family Indexing in ops.def, emits the
// element of the result of `op` at `index`. Indices that come from data are clamped as the
// StableHLO specification says, so that every load is in bounds.
namespace acceld::kernels {

using IndexingHandler = absl::StatusOr<Element> (*)(ElementEmitter& emitter, const ir::Op& op,
                                                    const ElementIndex& index);

#define ACCELD_INDEXING_OP(Kind, ...)                                               \
  absl::StatusOr<Element> Generate##Kind(ElementEmitter& emitter, const ir::Op& op, \
                                         const ElementIndex& index);
#include "common/ir/ops.def"

// Returns Generate<Kind> for an indexing op, nullptr for other kinds.
IndexingHandler IndexingHandlerOf(ir::OpKind kind);

}  // namespace acceld::kernels
