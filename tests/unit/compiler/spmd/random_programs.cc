#include "tests/unit/compiler/spmd/random_programs.h"

#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "tests/unit/compiler/spmd/random/sharded_function.h"

namespace acceld::compiler::spmd {
namespace {

constexpr int64_t kPartitionCounts[] = {1, 2, 2, 3, 4, 4, 4, 4, 6, 6, 8, 8, 8};

void CheckValid(const ir::Module& module) {
  const absl::Status valid = ir::Verify(module);
  if (!valid.ok()) std::cerr << valid << "\n" << ir::PrintModule(module);
  ACCELD_CHECK(valid.ok());
}

// Adds helpers to the context and an entry to the module, with the helpers behind it. Returns which
// results of the entry are exact.
std::vector<bool> AddFunctions(Place place, ProgramContext& context, ir::Module& module) {
  Dice& dice = context.dice;
  static constexpr Place kPlaces[] = {Place::kGlobal, Place::kAnywhere, Place::kManual};
  std::vector<ir::Function> helpers;
  const int64_t num_helpers = dice.OneIn(2) ? dice.Below(4) : 0;
  for (int64_t i = 0; i < num_helpers; ++i) {
    const Place of_helper = context.has_replicas ? Place::kAnywhere : dice.Pick(kPlaces);
    ShardedFunction function(absl::StrCat("helper", i), of_helper, context);
    helpers.push_back(function.Build(dice.Below(3), 1 + dice.Below(5)));
    const ir::Function& built = helpers.back();
    context.helpers.push_back({built.name,
                               {built.ParameterTypes(), built.ResultTypes()},
                               function.exact_results(),
                               of_helper});
  }
  ShardedFunction entry("main", place, context);
  module.functions.push_back(
      entry.Build(dice.Between(1, 3), 1 + dice.Below(dice.OneIn(4) ? 40 : 12)));
  for (ir::Function& helper : helpers) module.functions.push_back(std::move(helper));
  return entry.exact_results();
}

// Copies a function and puts constraints behind some of its ops.
ir::Function WithConstraints(Dice& dice, const ir::Function& source,
                             const std::vector<ir::Mesh>& meshes) {
  const auto any_sharding = [&](const ir::Type& type, bool divides) {
    return RandomSharding(dice, meshes, 0, type.tensor().dims, AllAxesOf(meshes[0]), divides);
  };
  ir::FunctionBuilder builder(source.name, source.is_public);
  absl::flat_hash_map<ir::ValueId, ir::ValueId> values;
  for (const ir::ValueId id : source.body.parameters) {
    values[id] = builder.AddParameter(source.TypeOf(id));
  }
  for (const ir::Op& op : source.body.ops) {
    builder.Clone(op, source, values);
    for (const ir::ValueId id : op.results) {
      if (!source.TypeOf(id).IsTensor() || !dice.OneIn(3)) continue;
      const auto constrained = builder.AddOne(
          ir::OpKind::kShardingConstraint, {values[id]},
          ir::ShardingConstraintAttributes{any_sharding(source.TypeOf(id), /*divides=*/false)});
      if (constrained.ok()) values[id] = *constrained;
    }
  }
  std::vector<ir::ValueId> results;
  for (const ir::ValueId id : source.body.results) results.push_back(values[id]);
  ir::Function function = builder.Finish(std::move(results));
  for (const ir::Type& type : function.ParameterTypes()) {
    auto& sharding = function.parameter_shardings.emplace_back();
    if (!dice.OneIn(4)) sharding = any_sharding(type, /*divides=*/true);
  }
  for (const ir::Type& type : function.ResultTypes()) {
    auto& sharding = function.result_shardings.emplace_back();
    if (!dice.OneIn(4)) sharding = any_sharding(type, /*divides=*/true);
  }
  return function;
}

}  // namespace

ShardedProgram MakeShardedProgram(uint64_t seed) {
  Dice dice(seed);
  ShardedProgram program;
  ir::Module& module = program.module;
  module.name = "random";
  module.grid.num_partitions = dice.Pick(kPartitionCounts);
  if (dice.OneIn(12)) module.grid.num_replicas = 2;
  module.meshes = RandomMeshes(dice, module.grid.num_partitions);
  ProgramContext context{.dice = dice,
                         .has_replicas = module.grid.num_replicas > 1,
                         .meshes = module.meshes,
                         .helpers = {}};
  const std::vector<bool> exact_results = AddFunctions(Place::kGlobal, context, module);
  CheckValid(module);
  const std::vector<ir::Type> types = module.functions[0].ResultTypes();
  for (size_t i = 0; i < types.size(); ++i) {
    program.rules.push_back(exact_results[i] ? Exact() : Rounded(types[i].tensor().dtype));
  }
  for (const ir::Type& type : module.functions[0].ParameterTypes()) {
    program.arguments.push_back(SmallLiteral(dice, type.tensor()));
  }
  return program;
}

LocalProgram MakeLocalProgram(uint64_t seed) {
  Dice dice(seed);
  LocalProgram program;
  program.module.name = "random";
  program.module.grid.num_partitions = dice.Pick(kPartitionCounts);
  program.module.meshes = RandomMeshes(dice, program.module.grid.num_partitions);
  ProgramContext context{
      .dice = dice, .has_replicas = true, .meshes = program.module.meshes, .helpers = {}};
  AddFunctions(Place::kManual, context, program.module);
  CheckValid(program.module);
  program.arguments.resize(static_cast<size_t>(program.module.grid.size()));
  for (std::vector<ir::Literal>& arguments : program.arguments) {
    for (const ir::Type& type : program.module.functions[0].ParameterTypes()) {
      arguments.push_back(SmallLiteral(dice, type.tensor()));
    }
  }
  return program;
}

RandomProgram MakeDistributedProgram(uint64_t seed) {
  RandomProgram program = MakeRandomProgram(seed);
  Dice dice(seed);
  ir::Module& module = program.module;
  module.grid.num_partitions = dice.Pick(kPartitionCounts);
  module.meshes = RandomMeshes(dice, module.grid.num_partitions);
  for (ir::Function& function : module.functions) {
    const bool is_entry = function.is_public;
    function = WithConstraints(dice, function, module.meshes);
    if (is_entry) continue;
    function.parameter_shardings.clear();
    function.result_shardings.clear();
  }
  CheckValid(module);
  return program;
}

}  // namespace acceld::compiler::spmd
