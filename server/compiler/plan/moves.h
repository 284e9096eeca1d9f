#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace acceld::compiler {

struct Move {
  uint32_t to, from;  // buffers
};

// Orders moves that are to happen at the same time, so that each reads what was there before all of
// them. Every `to` occurs once. A cycle (a swap) goes through a temporary: `new_temporary(b)` makes
// a buffer like b. Moves of a buffer to itself are left out.
std::vector<Move> SequenceMoves(std::vector<Move> moves,
                                const std::function<uint32_t(uint32_t)>& new_temporary);

}  // namespace acceld::compiler
