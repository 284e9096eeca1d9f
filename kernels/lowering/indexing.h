#pragma once

#include "common/ir/module.h"
#include "kernels/lowering/element_emitter.h"

// Ops whose result elements are operand elements at other indices, or values made from the index:
// `Generate<Kind>` for each op of family Indexing gives the element of `op`'s result at `index`.
// Indices that come from data are clamped as the StableHLO specification says, so that every load
// is in bounds.
namespace acceld::kernels {

using IndexingHandler = absl::StatusOr<Element> (*)(ElementEmitter& emitter, const ir::Op& op,
                                                    const ElementIndex& index);

#define ACCELD_DECLARE_Elementwise(Kind)
#define ACCELD_DECLARE_Nest(Kind)
#define ACCELD_DECLARE_Contraction(Kind)
#define ACCELD_DECLARE_Routine(Kind)
#define ACCELD_DECLARE_Derived(Kind)
#define ACCELD_DECLARE_Dynamic(Kind)
#define ACCELD_DECLARE_Structure(Kind)
#define ACCELD_DECLARE_Indexing(Kind)                                               \
  absl::StatusOr<Element> Generate##Kind(ElementEmitter& emitter, const ir::Op& op, \
                                         const ElementIndex& index);
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  ACCELD_DECLARE_##Family(Kind)
#include "common/ir/ops.def"
#undef ACCELD_DECLARE_Elementwise
#undef ACCELD_DECLARE_Nest
#undef ACCELD_DECLARE_Contraction
#undef ACCELD_DECLARE_Routine
#undef ACCELD_DECLARE_Derived
#undef ACCELD_DECLARE_Dynamic
#undef ACCELD_DECLARE_Structure
#undef ACCELD_DECLARE_Indexing

// The handler of an indexing op; nullptr for other kinds.
IndexingHandler IndexingHandlerOf(ir::OpKind kind);

}  // namespace acceld::kernels
