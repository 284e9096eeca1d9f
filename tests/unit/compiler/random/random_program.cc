#include "tests/unit/compiler/random/random_program.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/verify/verifier.h"
#include "tests/unit/compiler/random/random_function.h"

namespace acceld::compiler {

RandomProgram MakeRandomProgram(uint64_t seed) {
  Dice dice(seed);
  std::vector<Helper> helpers;
  std::vector<ir::Function> functions;
  const int64_t num_helpers = dice.OneIn(3) ? dice.Below(4) : 0;
  for (int64_t i = 0; i < num_helpers; ++i) {
    RandomFunction function(absl::StrCat("helper", i), /*is_public=*/false, dice, helpers);
    functions.push_back(function.Build(1 + dice.Below(6)));
    const ir::Function& built = functions.back();
    helpers.push_back(
        {built.name, {built.ParameterTypes(), built.ResultTypes()}, function.result_exactness()});
  }
  RandomFunction entry("main", /*is_public=*/true, dice, helpers);
  RandomProgram program;
  program.module.name = "random";
  program.module.functions.push_back(entry.Build(1 + dice.Below(dice.OneIn(4) ? 40 : 14)));
  for (ir::Function& function : functions) program.module.functions.push_back(std::move(function));
  const absl::Status valid = ir::Verify(program.module);
  ACCELD_CHECK(valid.ok());
  for (const ir::Type& type : program.module.functions[0].ParameterTypes()) {
    program.arguments.push_back(RandomLiteral(dice, type.tensor()));
  }
  return program;
}

}  // namespace acceld::compiler
