#include "common/ir/verify/verifier.h"

#include "absl/strings/str_cat.h"
#include "common/ir/builder.h"
#include "common/ir/verify/limits.h"
#include "gtest/gtest.h"
#include "tests/unit/ir/sample_modules.h"
#include "tests/unit/status_matchers.h"

namespace acceld::ir {
namespace {

const TensorType kVector{DType::kF32, {4}};

TEST(VerifierTest, AcceptsTheSamples) {
  for (const Module& module : SampleModules()) EXPECT_THAT(Verify(module), IsOk()) << module.name;
}

TEST(VerifierTest, NamesFunctionLineOpAndValues) {
  Module module = CallModule();
  module.functions[1].value_types[0] = TensorType{DType::kF32, {5}};
  EXPECT_THAT(Verify(module),
              IsRefused("@main: line 7: func.call: @f: argument 0 is tensor<4xf32> where "
                        "tensor<5xf32> is needed"));
}

TEST(VerifierTest, ValuesAreDefinedOnceAndBeforeTheirUses) {
  Module twice = CallModule();
  twice.functions[0].body.ops[1].results = twice.functions[0].body.ops[0].results;
  EXPECT_THAT(Verify(twice), IsRefused("value 1 is defined twice"));

  Module early = CallModule();
  std::swap(early.functions[0].body.ops[0], early.functions[0].body.ops[1]);
  EXPECT_THAT(Verify(early), IsRefused("value 1 is used before it is defined"));

  Module missing = CallModule();
  missing.functions[0].body.ops[0].operands[0] = 99;
  EXPECT_THAT(Verify(missing), IsRefused("value 99 is used before"));

  Module result = CallModule();
  result.functions[0].body.results[0] = 99;
  EXPECT_THAT(Verify(result), IsRefused("value 99 of the signature does not exist"));
}

TEST(VerifierTest, ValuesDoNotEscapeTheirRegion) {
  Module module = ControlModule();
  Function& main = module.functions[0];
  main.body.results[0] = main.body.ops[0].regions[1].ops[0].results[0];
  EXPECT_THAT(Verify(module), IsRefused("is used outside the region that defines it"));
}

TEST(VerifierTest, DeclaredResultTypesAreChecked) {
  Module module = CallModule();
  module.functions[1].value_types[1] = TensorType{DType::kF16, {4}};
  EXPECT_THAT(Verify(module), IsRefused("result 0 is declared tensor<"));
}

TEST(VerifierTest, NamesAreUniqueAndCallsResolve) {
  Module duplicate = CallModule();
  duplicate.functions.push_back(duplicate.functions[1]);
  EXPECT_THAT(Verify(duplicate), IsRefused("two functions are named 'f'"));

  Module unknown = CallModule();
  unknown.functions[1].name = "g";
  EXPECT_THAT(Verify(unknown), IsRefused("func.call: the module has no function 'f'"));

  Module nameless = CallModule();
  nameless.functions[1].name = "";
  EXPECT_THAT(Verify(nameless), IsRefused("a function has no name"));
}

Function Caller(const std::string& name, const std::vector<std::string>& callees) {
  FunctionBuilder b(name);
  ValueId x = b.AddParameter(kVector);
  for (const std::string& callee : callees) {
    x = *b.AddOne(OpKind::kCall, {x}, CallAttributes{{callee}}, {Type(kVector)});
  }
  return b.Finish({x});
}

TEST(VerifierTest, RecursionIsRefused) {
  Module direct;
  direct.functions.push_back(Caller("main", {"main"}));
  EXPECT_THAT(Verify(direct), IsRefused("recursion is not allowed: @main -> @main"));

  Module indirect;
  indirect.functions.push_back(Caller("main", {"a"}));
  indirect.functions.push_back(Caller("a", {"c", "b"}));
  indirect.functions.push_back(Caller("b", {"a", "c"}));
  indirect.functions.push_back(Caller("c", {}));
  EXPECT_THAT(Verify(indirect), IsRefused("@a -> @b -> @a"));
}

TEST(VerifierTest, DeepCallChainsAreRefused) {
  const auto chain = [](int length) {
    Module module;
    for (int i = 0; i < length; ++i) {
      module.functions.push_back(Caller(
          absl::StrCat("f", i), i + 1 < length ? std::vector<std::string>{absl::StrCat("f", i + 1)}
                                               : std::vector<std::string>{}));
    }
    return module;
  };
  EXPECT_THAT(Verify(chain(limits::kMaxCallDepth)), IsOk());
  EXPECT_THAT(Verify(chain(100 * limits::kMaxCallDepth)), IsRefused("calls are nested deeper"));
}

// A diamond of calls has exponentially many paths.
TEST(VerifierTest, ManyPathsThroughTheCallGraphAreFast) {
  Module module;
  constexpr int kLength = 200;
  for (int i = 0; i < kLength; ++i) {
    const std::string next = absl::StrCat("f", i + 1);
    module.functions.push_back(Caller(absl::StrCat("f", i), {next, next}));
  }
  module.functions.push_back(Caller(absl::StrCat("f", kLength), {}));
  EXPECT_THAT(Verify(module), IsOk());
}

Module NestedBranches(int depth) {
  FunctionBuilder b("main");
  const ValueId pred = b.AddParameter(TensorType{DType::kI1, {}});
  const ValueId x = b.AddParameter(kVector);
  for (int i = 0; i < depth; ++i) b.BeginRegion({});
  ValueId inner = x;
  for (int i = 0; i < depth; ++i) {
    std::vector<Region> branches;
    branches.push_back(b.EndRegion({inner}));
    b.BeginRegion({});
    branches.push_back(b.EndRegion({x}));
    inner = b.Add(OpKind::kIf, {pred}, NoAttributes{}, std::move(branches))->front();
  }
  Module module;
  module.functions.push_back(b.Finish({inner}));
  return module;
}

TEST(VerifierTest, DeepRegionsAreRefused) {
  EXPECT_THAT(Verify(NestedBranches(limits::kMaxRegionDepth - 1)), IsOk());
  EXPECT_THAT(Verify(NestedBranches(limits::kMaxRegionDepth)),
              IsRefused("regions are nested deeper"));
}

TEST(VerifierTest, DeepAttributesAreRefused) {
  Attribute attribute = {UnitAttribute{}};
  for (int i = 0; i < limits::kMaxDepth; ++i) attribute = {ArrayAttribute{{attribute}}};
  FunctionBuilder b("main");
  ASSERT_THAT(b.Add(OpKind::kCustomCall, {}, CustomCallAttributes{"t", false, attribute}), IsOk());
  Module module;
  module.functions.push_back(b.Finish({}));
  EXPECT_THAT(Verify(module), IsRefused("an attribute is nested deeper"));
}

TEST(VerifierTest, InternalOpsAreNotForPrograms) {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kVector);
  const ValueId p = b.BeginRegion({Type(kVector)})[0];
  std::vector<Region> regions;
  regions.push_back(b.EndRegion({p}));
  const auto fused = b.Add(OpKind::kFusion, {x}, FusionAttributes{}, std::move(regions));
  Module module;
  module.functions.push_back(b.Finish(*fused));
  EXPECT_THAT(Verify(module), IsOk());
  EXPECT_THAT(RefuseInternalOps(module), IsRefused("@main: op 'acceld.fusion'"));
}

TEST(VerifierTest, InternalCustomCallsAreNotForProgramsWhereverTheyStand) {
  FunctionBuilder b("main");
  const ValueId p = b.AddParameter(TensorType{DType::kI1, {}});
  std::vector<Region> regions;
  for (int i = 0; i < 2; ++i) {
    b.BeginRegion({});
    const auto call = b.Add(OpKind::kCustomCall, {}, CustomCallAttributes{"acceld.unwritten"}, {},
                            {Type(kVector)});
    ASSERT_THAT(call, IsOk());
    regions.push_back(b.EndRegion(*call));
  }
  const auto chosen = b.Add(OpKind::kIf, {p}, NoAttributes{}, std::move(regions));
  ASSERT_THAT(chosen, IsOk());
  Module module;
  module.functions.push_back(b.Finish(*chosen));
  EXPECT_THAT(RefuseInternalOps(module), IsRefused("@main: custom_call target 'acceld.unwritten'"));
}

}  // namespace
}  // namespace acceld::ir
