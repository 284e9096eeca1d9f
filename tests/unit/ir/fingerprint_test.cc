#include "common/ir/fingerprint.h"

#include <set>

#include "common/ir/builder.h"
#include "common/ir/wire/wire.h"
#include "gtest/gtest.h"
#include "tests/unit/ir/sample_modules.h"

namespace acceld::ir {
namespace {

const TensorType kVector{DType::kF32, {4}};

Digest Of(Function function) {
  Module module;
  const std::string name = function.name;
  module.functions.push_back(std::move(function));
  return Fingerprint(module, name);
}

// One op on one parameter.
Function Unary(OpKind kind, TensorType type = kVector, const std::string& name = "main") {
  FunctionBuilder b(name);
  const ValueId x = b.AddParameter(std::move(type));
  return b.Finish({*b.AddOne(kind, {x})});
}

TEST(FingerprintTest, SurvivesTheWire) {
  for (const Module& module : SampleModules()) {
    EXPECT_EQ(Fingerprint(*FromProto(ToProto(module)), "main"), Fingerprint(module, "main"));
  }
}

TEST(FingerprintTest, NamesLocationsAndOrderOfFunctionsDoNotCount) {
  const Module module = CallModule();
  Module other = module;
  other.name = "other";
  other.functions[0].name = "entry";
  other.functions[1].name = "callee";
  other.functions[1].is_public = true;
  for (Op& op : other.functions[0].body.ops) {
    op.location = {};
    std::get<CallAttributes>(op.attributes).callee.name = "callee";
  }
  std::swap(other.functions[0], other.functions[1]);
  EXPECT_EQ(Fingerprint(other, "entry"), Fingerprint(module, "main"));
}

TEST(FingerprintTest, UnreachableFunctionsDoNotCount) {
  Module module = CallModule();
  const Digest before = Fingerprint(module, "main");
  module.functions.push_back(Unary(OpKind::kAbs, kVector, "unused"));
  EXPECT_EQ(Fingerprint(module, "main"), before);
  EXPECT_NE(Fingerprint(module, "unused"), before);
}

TEST(FingerprintTest, ValueNumbersDoNotCount) {
  Function function = Unary(OpKind::kAbs);
  const Digest before = Of(function);
  std::swap(function.body.parameters[0], function.body.results[0]);
  std::swap(function.body.ops[0].operands[0], function.body.ops[0].results[0]);
  EXPECT_EQ(Of(function), before);
}

TEST(FingerprintTest, WhatAProgramMeansCounts) {
  std::set<Digest> digests;
  digests.insert(Of(Unary(OpKind::kAbs)));
  digests.insert(Of(Unary(OpKind::kNegate)));
  digests.insert(Of(Unary(OpKind::kAbs, {DType::kF32, {5}})));
  digests.insert(Of(Unary(OpKind::kAbs, {DType::kF32, {kDynamicDim}})));
  digests.insert(Of(Unary(OpKind::kAbs, {DType::kF64, {4}})));
  FunctionBuilder swapped("main");
  const ValueId a = swapped.AddParameter(kVector);
  const ValueId b = swapped.AddParameter(kVector);
  Function subtract = swapped.Finish({*swapped.AddOne(OpKind::kSubtract, {a, b})});
  digests.insert(Of(subtract));
  std::swap(subtract.body.ops[0].operands[0], subtract.body.ops[0].operands[1]);
  digests.insert(Of(subtract));
  subtract.body.results.push_back(0);
  digests.insert(Of(subtract));
  EXPECT_EQ(digests.size(), 8u);
}

Function ConstantFunction(Literal literal) {
  FunctionBuilder b("main");
  const ValueId value = b.Constant(std::move(literal));
  return b.Finish({value});
}

TEST(FingerprintTest, LiteralsCountByTheirElements) {
  const TensorType type{DType::kI32, {3}};
  const Digest splat = Of(ConstantFunction(Literal::Filled(type, 7)));
  EXPECT_EQ(Of(ConstantFunction(Literal::FromValues<int32_t>(type, {7, 7, 7}))), splat);
  EXPECT_NE(Of(ConstantFunction(Literal::FromValues<int32_t>(type, {7, 7, 8}))), splat);
  EXPECT_NE(Of(ConstantFunction(Literal::Filled({DType::kI32, {4}}, 7))), splat);
}

Function CompareFunction(ComparisonType type) {
  FunctionBuilder b("main");
  const ValueId x = b.AddParameter(kVector);
  const CompareAttributes attributes{ComparisonDirection::kLt, type};
  return b.Finish({*b.AddOne(OpKind::kCompare, {x, x}, attributes)});
}

TEST(FingerprintTest, SpellingsOfOneMeaningAreEqual) {
  EXPECT_EQ(Of(CompareFunction(ComparisonType::kNone)),
            Of(CompareFunction(ComparisonType::kFloat)));
  EXPECT_NE(Of(CompareFunction(ComparisonType::kTotalOrder)),
            Of(CompareFunction(ComparisonType::kFloat)));
  Module module = NestModule();
  const Digest before = Fingerprint(module, "main");
  for (Op& op : module.functions[0].body.ops) {
    if (auto* window = std::get_if<WindowAttributes>(&op.attributes))
      window->window_strides = {1, 1};
    if (auto* sort = std::get_if<SortAttributes>(&op.attributes)) sort->dimension -= 2;
  }
  EXPECT_EQ(Fingerprint(module, "main"), before);
}

}  // namespace
}  // namespace acceld::ir
