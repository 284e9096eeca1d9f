// Random programs, compiled for the CPU and run, against the reference interpreter. One that fails
// is made small and printed with its arguments.
// ACCELD_RANDOM_PROGRAMS="first:count" runs other seeds than the usual ones and logs each.
// ACCELD_DUMP_DIR=DIR keeps all stages of compilation as text.
#include <iostream>

#include "absl/strings/str_cat.h"
#include "common/ir/text.h"
#include "common/ir/types/literal_text.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/random/check_program.h"
#include "tests/unit/compiler/random/random_program.h"
#include "tests/unit/compiler/random/seeds.h"
#include "tests/unit/compiler/shrink/shrink_program.h"

namespace acceld::compiler {
namespace {

// A small program that fails in the same way: what goes wrong with it, its text and its arguments.
std::string SmallFailure(const RandomProgram& program, const std::string& kind) {
  const RandomProgram small = ShrinkProgram(program, [&](const RandomProgram& candidate) {
    const auto failure = CheckProgram(candidate);
    return failure.has_value() && failure->kind == kind;
  });
  const auto failure = CheckProgram(small);
  std::string text = absl::StrCat(failure.has_value() ? failure->message : "fails now and then",
                                  "\n", ir::PrintModule(small.module));
  for (size_t i = 0; i < small.arguments.size(); ++i) {
    absl::StrAppend(&text, "// argument ", i, ": ", ir::ToString(small.arguments[i]), "\n");
  }
  return text;
}

TEST(RandomPrograms, CompiledResultsAreThoseOfTheInterpreter) {
  const Seeds seeds = SeedsToRun(250);
  ForEachSeed(seeds, [&](uint64_t seed) -> std::string {
    if (seeds.are_chosen) std::cerr << "seed " << seed << std::endl;
    const RandomProgram program = MakeRandomProgram(seed);
    const auto failure = CheckProgram(program);
    if (!failure.has_value()) return "";
    return absl::StrCat(failure->message, "\nmade small: ", SmallFailure(program, failure->kind));
  });
}

}  // namespace
}  // namespace acceld::compiler
