#include "server/compiler/plan/moves.h"

#include "absl/container/flat_hash_map.h"

namespace acceld::compiler {

std::vector<Move> SequenceMoves(std::vector<Move> moves,
                                const std::function<uint32_t(uint32_t)>& new_temporary) {
  std::vector<Move> out;
  absl::flat_hash_map<uint32_t, size_t> pending;   // by destination
  absl::flat_hash_map<uint32_t, int> readers;      // pending moves that read the buffer
  absl::flat_hash_map<uint32_t, uint32_t> now_at;  // where the old content of a buffer is
  for (size_t i = 0; i < moves.size(); ++i) {
    if (moves[i].to == moves[i].from) continue;
    pending[moves[i].to] = i;
    ++readers[moves[i].from];
  }
  std::vector<uint32_t> ready;
  for (const Move& move : moves) {
    if (pending.contains(move.to) && !readers.contains(move.to)) ready.push_back(move.to);
  }
  size_t next = 0;
  while (!pending.empty()) {
    if (ready.empty()) {
      // Only cycles are left: save the contents of the next destination, which is free then.
      while (!pending.contains(moves[next].to)) ++next;
      const uint32_t buffer = moves[next].to;
      const uint32_t saved = new_temporary(buffer);
      out.push_back({saved, buffer});
      now_at[buffer] = saved;
      ready.push_back(buffer);
    }
    const uint32_t to = ready.back();
    ready.pop_back();
    const uint32_t from = moves[pending[to]].from;
    pending.erase(to);
    const auto saved = now_at.find(from);
    out.push_back({to, saved == now_at.end() ? from : saved->second});
    if (--readers[from] == 0 && pending.contains(from) && saved == now_at.end()) {
      ready.push_back(from);
    }
  }
  return out;
}

}  // namespace acceld::compiler
