#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace acceld::compiler {

// A copy of one buffer to another.
struct Move {
  uint32_t to, from;  // buffer ids
};

// Turns moves that are to happen at the same time (each reads the contents from before all moves)
// into moves that can be executed one after the other. Every `to` must occur once. A cycle, such as
// a swap, needs a temporary buffer: `new_temporary(b)` makes one of the size of b and returns its
// id. Moves of a buffer to itself are left out.
std::vector<Move> SequenceMoves(std::vector<Move> moves,
                                const std::function<uint32_t(uint32_t)>& new_temporary);

}  // namespace acceld::compiler
