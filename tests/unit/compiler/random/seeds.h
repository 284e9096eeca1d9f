#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

// Which random programs a test draws.
namespace acceld::compiler {

struct Seeds {
  uint64_t first = 0, count = 0;
  bool are_chosen = false;  // by whoever runs the test
};

// Returns `count` seeds from `first` on, unless ACCELD_RANDOM_PROGRAMS="first:count" chooses
// others. A failure of the test, and no seeds, if that has another form.
inline Seeds SeedsToRun(uint64_t count, uint64_t first = 0) {
  const char* const range = std::getenv("ACCELD_RANDOM_PROGRAMS");
  if (range == nullptr) return {.first = first, .count = count};
  const std::vector<std::string> parts = absl::StrSplit(range, ':');
  Seeds seeds{.are_chosen = true};
  if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &seeds.first) &&
      absl::SimpleAtoi(parts[1], &seeds.count)) {
    return seeds;
  }
  ADD_FAILURE() << "ACCELD_RANDOM_PROGRAMS is first:count, not " << range;
  return {};
}

// Calls `check` for each seed, and adds what it returns, unless that is empty, as a failure of the
// test. Where all fail, a few say why.
inline void ForEachSeed(const Seeds& seeds, absl::FunctionRef<std::string(uint64_t seed)> check) {
  int failures_left = 3;
  for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count && failures_left > 0; ++seed) {
    const std::string difference = check(seed);
    if (difference.empty()) continue;
    --failures_left;
    ADD_FAILURE() << "seed " << seed << ": " << difference;
  }
}

}  // namespace acceld::compiler
