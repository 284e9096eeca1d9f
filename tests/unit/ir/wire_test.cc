#include "common/ir/wire/wire.h"

#include "common/ir/builder.h"
#include "common/ir/verify/limits.h"
#include "common/ir/verify/verifier.h"
#include "gtest/gtest.h"
#include "tests/unit/ir/sample_modules.h"
#include "tests/unit/status_matchers.h"

namespace acceld::ir {
namespace {

TEST(WireTest, ModulesRoundTripThroughBytes) {
  for (const Module& module : SampleModules()) {
    v1::Module proto;
    ASSERT_TRUE(proto.ParseFromString(ToProto(module).SerializeAsString()));
    const absl::StatusOr<Module> read = FromProto(proto);
    ASSERT_THAT(read, IsOk()) << module.name;
    EXPECT_EQ(*read, module) << module.name;
  }
}

TEST(WireTest, DonationsTravelAndAreChecked) {
  Module module = CallModule();
  module.functions[0].donations = {{.parameter = 0, .result = 0}};
  EXPECT_EQ(*FromProto(ToProto(module)), module);
  module.functions[0].donations = {{.parameter = 0}};
  EXPECT_EQ(*FromProto(ToProto(module)), module);

  module.functions[0].donations = {{.parameter = 1}};
  EXPECT_THAT(FromProto(ToProto(module)), IsRefused("parameter 1 is donated"));
  module.functions[0].donations = {{.parameter = 0}, {.parameter = 0}};
  EXPECT_THAT(FromProto(ToProto(module)), IsRefused("parameter 0 is donated after"));
}

Module ModuleWithCall(CustomCallAttributes attributes) {
  FunctionBuilder b("main");
  const Type type = TensorType{DType::kF32, {4}};
  const ValueId x = b.AddParameter(type);
  attributes.call_target_name = "f";
  const auto y = b.Add(OpKind::kCustomCall, {x}, std::move(attributes), {}, {&type, 1});
  EXPECT_THAT(y, IsOk());
  Module module;
  module.functions.push_back(b.Finish(*y));
  return module;
}

TEST(WireTest, ConfigurationsOfCallsAreAnyBytes) {
  CustomCallAttributes attributes;
  attributes.backend_config = {StringAttribute{std::string("\0\xFF\xC0x", 4)}};
  attributes.mhlo_backend_config = {DictionaryAttribute{
      {{"uplo", {IntegerAttribute{76, DType::kUI8}}}, {"raw", {OpaqueAttribute{"\xFE"}}}}}};
  const Module module = ModuleWithCall(attributes);
  v1::Module proto;
  ASSERT_TRUE(proto.ParseFromString(ToProto(module).SerializeAsString()));
  const absl::StatusOr<Module> read = FromProto(proto);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(*read, module);
}

TEST(WireTest, FloatAttributesAreRoundedToTheirType) {
  CustomCallAttributes attributes;
  attributes.backend_config = {FloatAttribute{0.1, DType::kF32}};
  const absl::StatusOr<Module> read = FromProto(ToProto(ModuleWithCall(attributes)));
  ASSERT_THAT(read, IsOk());
  attributes.backend_config = {FloatAttribute{0.1f, DType::kF32}};
  EXPECT_EQ(*read, ModuleWithCall(attributes));
}

// The wire has no place for them, so nothing that verifies has any.
TEST(WireTest, NamesAreUtf8) {
  CustomCallAttributes attributes;
  attributes.backend_config = {DictionaryAttribute{{{"\xFF", {UnitAttribute{}}}}}};
  EXPECT_THAT(Verify(ModuleWithCall(attributes)),
              IsRefused("the name of an attribute '\\xff' is not UTF-8"));
  attributes.backend_config = {ArrayAttribute{{{SymbolAttribute{"\xC0\x80"}}}}};
  EXPECT_THAT(Verify(ModuleWithCall(attributes)), IsRefused("the symbol '\\xc0\\x80' is not"));
  Module module = CallModule();
  module.name = "\xED\xA0\x80";
  EXPECT_THAT(Verify(module), IsRefused("the module's name"));
  module = CallModule();
  module.functions[1].name = "f\xFF";
  EXPECT_THAT(Verify(module), IsRefused("the function's name 'f\\xff' is not UTF-8"));
}

TEST(WireTest, UnknownOpsAreNamed) {
  v1::Module proto = ToProto(CallModule());
  proto.mutable_functions(0)->mutable_body()->mutable_ops(0)->set_name("stablehlo.foo");
  EXPECT_THAT(FromProto(proto), FailsWith(absl::StatusCode::kUnimplemented,
                                          "@main: op 'stablehlo.foo' is not supported"));
}

TEST(WireTest, MalformedMessagesAreRefused) {
  const auto refused = [](auto change, const char* message) {
    v1::Module proto = ToProto(CallModule());
    change(proto, *proto.mutable_functions(1)->mutable_body()->mutable_ops(0));
    EXPECT_THAT(FromProto(proto), IsRefused(message));
  };
  refused([](v1::Module& m, v1::Op&) { m.mutable_functions(1)->clear_value_types(); },
          "does not exist");
  refused([](v1::Module&, v1::Op& op) { op.set_operands(0, 0xFFFFFFFF); }, "value 4294967295");
  refused([](v1::Module&, v1::Op& op) { op.add_operands(0); }, "2 operands where 1");
  refused([](v1::Module&, v1::Op& op) { op.clear_results(); }, "0 results declared");
  refused([](v1::Module&, v1::Op& op) { op.add_regions(); }, "1 regions where 0");
  refused([](v1::Module&, v1::Op& op) { (*op.mutable_attributes())["x"].set_unit(true); },
          "unknown attribute 'x'");
  refused([](v1::Module&, v1::Op& op) { (*op.mutable_attributes())["x"]; }, "attribute is empty");
  refused([](v1::Module& m, v1::Op&) { m.mutable_functions(1)->add_value_types(); },
          "a type is empty");
  refused(
      [](v1::Module& m, v1::Op&) {
        m.mutable_functions(1)->mutable_value_types(0)->mutable_tensor()->set_dtype("f31");
      },
      "'f31' is not an element type");
  refused(
      [](v1::Module& m, v1::Op&) {
        m.mutable_functions(1)->mutable_value_types(0)->mutable_tensor()->set_dims(0, -2);
      },
      "dimension of size -2");
  refused([](v1::Module& m, v1::Op&) { m.mutable_functions(1)->clear_name(); }, "no name");
}

TEST(WireTest, InternalOpsAreRefused) {
  FunctionBuilder b("main");
  std::vector<Region> regions;
  b.BeginRegion({});
  regions.push_back(b.EndRegion({}));
  ASSERT_THAT(b.Add(OpKind::kFusion, {}, FusionAttributes{}, std::move(regions)), IsOk());
  Module module;
  module.functions.push_back(b.Finish({}));
  EXPECT_THAT(FromProto(ToProto(module)), IsRefused("'acceld.fusion' is acceld's own"));
}

TEST(WireTest, NestingIsBoundedEverywhere) {
  // Deeper than any limit, and not so deep that the messages' own destructors use up the stack.
  constexpr int kDepth = 1'000;
  v1::Module deep_type = ToProto(CallModule());
  v1::Type* type = deep_type.mutable_functions(1)->add_value_types();
  for (int i = 0; i < kDepth; ++i) type = type->mutable_tuple()->add_elements();
  type->mutable_token();
  EXPECT_THAT(FromProto(deep_type), IsRefused("a tuple type is nested deeper"));

  v1::Module deep_attribute = ToProto(CallModule());
  v1::Op* op = deep_attribute.mutable_functions(1)->mutable_body()->mutable_ops(0);
  v1::Attribute* attribute = &(*op->mutable_attributes())["x.y"];
  for (int i = 0; i < kDepth; ++i) attribute = attribute->mutable_array()->add_elements();
  attribute->set_unit(true);
  EXPECT_THAT(FromProto(deep_attribute), IsRefused("an attribute is nested deeper"));

  v1::Module deep_region = ToProto(CallModule());
  v1::Region* region = deep_region.mutable_functions(1)->mutable_body();
  for (int i = 0; i < kDepth; ++i) {
    v1::Op* inner = region->ops_size() > 0 ? region->mutable_ops(0) : region->add_ops();
    inner->set_name("stablehlo.if");
    region = inner->add_regions();
  }
  EXPECT_THAT(FromProto(deep_region), IsRefused("regions are nested deeper"));
}

TEST(WireTest, LiteralsAreChecked) {
  v1::Literal proto = ToProto(Literal::Filled({DType::kI1, {4}}, 1));
  EXPECT_EQ(*FromProto(proto), Literal::Filled({DType::kI1, {4}}, 1));
  proto.set_data("\2");
  EXPECT_THAT(FromProto(proto), IsRefused("no i1"));
  proto.set_data("123");
  EXPECT_THAT(FromProto(proto), IsRefused("needs 4 bytes"));
}

}  // namespace
}  // namespace acceld::ir
