#pragma once

#include <vector>

#include "server/compiler/spmd/canonical_mesh.h"
#include "server/compiler/spmd/factor_rule.h"

// Relates the axes along which an op's factors are divided to the layouts of its operands and
// results.
namespace acceld::compiler::spmd {

// The axes of each factor of a rule.
using FactorAxes = std::vector<Axes>;

// Adds to `projected` the axes of one tensor's dimensions: those of a dimension are given to its
// factors, the major one first, as long as they divide the factor. Axes that do not fit are left
// out.
void Project(const Layout& layout, const DimensionFactors& dimensions, const FactorRule& rule,
             const CanonicalMesh& mesh, FactorAxes& projected);

// Returns the layout of a tensor whose dimensions have these factors. A factor is divided only if
// all those before it in the same dimension are divided into single elements, since the shards must
// be contiguous.
Layout LayoutFor(const DimensionFactors& dimensions, const FactorAxes& axes, const FactorRule& rule,
                 const CanonicalMesh& mesh);

// Removes the axes of factors that some tensor cannot be divided along, because a factor before
// them in the same dimension is not divided into single elements. Then each tensor that has a
// factor is divided along all of its axes.
void RemoveScattered(const FactorRule& rule, const CanonicalMesh& mesh, FactorAxes& axes);

}  // namespace acceld::compiler::spmd
