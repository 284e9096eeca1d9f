#include "kernels/ir/analysis/input_output_aliases.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace acceld::kernels {

std::vector<InputOutputAlias> ChooseInputOutputAliases(
    absl::Span<const InputOutputAlias> may_share, absl::Span<const InputOutputAlias> wished,
    absl::FunctionRef<bool(uint32_t argument)> is_given) {
  std::vector<InputOutputAlias> chosen;
  absl::flat_hash_set<uint32_t> arguments, results;
  const auto is_wished = [&](const InputOutputAlias& alias) {
    return std::find(wished.begin(), wished.end(), alias) != wished.end();
  };
  for (const bool wishes : {true, false}) {
    if (wishes && wished.empty()) continue;
    for (const InputOutputAlias& alias : may_share) {
      if (is_wished(alias) != wishes || arguments.contains(alias.argument) ||
          results.contains(alias.result) || !is_given(alias.argument)) {
        continue;
      }
      arguments.insert(alias.argument);
      results.insert(alias.result);
      chosen.push_back(alias);
    }
  }
  return chosen;
}

}  // namespace acceld::kernels
