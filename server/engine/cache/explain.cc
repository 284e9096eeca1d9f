#include "server/engine/cache/explain.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/cache/similarity.h"

namespace acceld::engine {
namespace {

std::vector<std::pair<std::string, std::string>> ComponentsOf(const cache::EntryHeader& header) {
  return {{"program", absl::StrCat(header.program_name, " ", header.fingerprint.ToHex())},
          {"arguments", std::string(cache::ArgumentsOf(header.signature))},
          {"architecture", header.architecture},
          {"build", header.build_id},
          {"options", header.options}};
}

}  // namespace

CacheEntryInfo ToPublic(const cache::EntryHeader& header) {
  return {.key = header.key.ToHex(),
          .fingerprint = header.fingerprint.ToHex(),
          .program_name = header.program_name,
          .signature = header.signature,
          .architecture = header.architecture,
          .compile_ms = header.compile_ms,
          .producer = header.producer};
}

CacheExplanation Explain(const cache::EntryHeader& wanted,
                         const cache::ExecutableCache::EntryLocation& found) {
  CacheExplanation explanation;
  if (found.tier.has_value()) explanation.tier = std::string(CacheVerdictName(*found.tier));
  for (auto& [name, value] : ComponentsOf(wanted)) {
    explanation.components.push_back({.name = name, .wanted = std::move(value)});
  }
  if (found.nearest.has_value()) {
    auto nearest = ComponentsOf(*found.nearest);
    for (size_t i = 0; i < nearest.size(); ++i) {
      explanation.components[i].nearest = std::move(nearest[i].second);
    }
    explanation.nearest = ToPublic(*found.nearest);
  }
  return explanation;
}

}  // namespace acceld::engine
