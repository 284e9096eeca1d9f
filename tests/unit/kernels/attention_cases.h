#pragma once

#include <string>
#include <vector>

#include "kernels/ir/attention_shape.h"

namespace acceld::kernels {

struct AttentionCase {
  std::string name;
  AttentionShape shape;
  double mask_density = 0.7;  // of elements of masks that are true
};

// Shapes that every kernel of attention has to do: all dtypes, widths and sizes that are no
// multiples of tiles, all kinds of masks, operands in any order.
std::vector<AttentionCase> AttentionCases();

// How many elements an operand with these rows and columns reaches over.
int64_t ReachOf(const AttentionShape& shape, const AttentionOperand& operand, int64_t rows,
                int64_t columns);

}  // namespace acceld::kernels
