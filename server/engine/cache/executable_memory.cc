#include "server/engine/cache/executable_memory.h"

#include <vector>

#include "kernels/ir/analysis/input_output_aliases.h"

namespace acceld::engine {

ExecutableMemory MemoryOf(const hal::Executable& executable, absl::Span<const uint32_t> donated,
                          absl::Span<const ir::Donation> wishes) {
  std::vector<bool> given_away(executable.arguments.size());
  for (const uint32_t argument : donated) {
    if (argument < given_away.size()) given_away[argument] = true;
  }
  const auto is_donated = [&](uint32_t argument) {
    return argument < given_away.size() && given_away[argument];
  };
  std::vector<kernels::InputOutputAlias> wished;
  for (const ir::Donation& wish : wishes) {
    if (wish.result.has_value() && is_donated(wish.parameter)) {
      wished.push_back({wish.parameter, *wish.result});
    }
  }
  ExecutableMemory memory{.code_bytes = executable.code.size(),
                          .constants_bytes = executable.constants.size(),
                          .arena_bytes = static_cast<uint64_t>(executable.arena_bytes)};
  for (const kernels::InputOutputAlias& alias :
       kernels::ChooseInputOutputAliases(executable.may_share, wished, is_donated)) {
    memory.alias_bytes += static_cast<uint64_t>(executable.results[alias.result].size_bytes());
  }
  return memory;
}

}  // namespace acceld::engine
