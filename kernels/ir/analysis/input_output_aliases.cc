#include "kernels/ir/analysis/input_output_aliases.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace acceld::kernels {

std::vector<InputOutputAlias> ChooseInputOutputAliases(
    absl::Span<const InputOutputAlias> may_share, absl::Span<const InputOutputAlias> wished,
    absl::FunctionRef<bool(uint32_t argument)> is_given) {
  std::vector<InputOutputAlias> chosen;
  absl::flat_hash_set<uint32_t> arguments, results;
  const auto is_wished = [&](const InputOutputAlias& place) {
    return std::find(wished.begin(), wished.end(), place) != wished.end();
  };
  for (const bool wishes : {true, false}) {
    if (wishes && wished.empty()) continue;
    for (const InputOutputAlias& place : may_share) {
      if (is_wished(place) != wishes || arguments.contains(place.argument) ||
          results.contains(place.result) || !is_given(place.argument)) {
        continue;
      }
      arguments.insert(place.argument);
      results.insert(place.result);
      chosen.push_back(place);
    }
  }
  return chosen;
}

}  // namespace acceld::kernels
