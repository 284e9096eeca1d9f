#include "common/ir/bytecode.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/ir/bytecode/sdy_ops.h"
#include "common/ir/bytecode/vhlo_ops.h"
#include "common/ir/op.h"
#include "common/ir/program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/ir/readers/bytecode_writer.h"

namespace acceld::ir {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Writer = BytecodeWriter;

// Codes of the formats.
constexpr uint64_t kVhloI1 = 0, kVhloF32 = 4, kVhloTensorType = 20, kVhloTuple = 23;
constexpr uint64_t kVhloArray = 1, kVhloTensor = 15;
constexpr uint64_t kBuiltinDictionary = 1, kBuiltinString = 2, kBuiltinResource = 16;
constexpr uint64_t kBuiltinCallSite = 10, kBuiltinFileLineColumn = 11, kBuiltinNamedLocation = 14;
constexpr uint64_t kBuiltinUnknownLocation = 15, kBuiltinFileLineColumnRange = 22;

// A file whose @main returns one constant, with what a test may want to change about it.
struct ConstantProgram {
  explicit ConstantProgram(uint64_t version = 6) : writer(version) {
    writer.Attribute("builtin", Writer::Varint(kBuiltinUnknownLocation));
  }

  uint64_t Tensor(uint64_t element_code, const std::vector<int64_t>& dims) {
    const uint64_t element = writer.Type("vhlo", Writer::Varint(element_code));
    std::string encoded = Writer::Varint(kVhloTensorType) + Writer::Varint(dims.size());
    for (const int64_t dim : dims) encoded += Writer::Signed(dim);
    return writer.Type("vhlo", encoded + Writer::Varint(element));
  }
  uint64_t Dense(uint64_t type, absl::string_view bytes) {
    return writer.Attribute(
        "vhlo", Writer::Varint(kVhloTensor) + Writer::Varint(type) + Writer::Blob(bytes));
  }
  std::string Finish(uint64_t type, uint64_t value, absl::string_view op = "constant_v1") {
    const uint64_t constant = writer.Op("vhlo", op);
    const uint64_t end = writer.Op("vhlo", "return_v1");
    const uint64_t properties = writer.Properties(Writer::Varint(value));
    return writer.Finish(
        {type},
        {Writer::EncodeOp(constant, {properties}, {type}, {}), Writer::EncodeOp(end, {}, {}, {0})},
        1);
  }

  Writer writer;
};

std::string BytesOf(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

absl::StatusOr<Literal> ConstantOf(const std::string& file) {
  ACCELD_ASSIGN_OR_RETURN(const Module module, ReadBytecode(file, "m.bc"));
  return module.functions[0].body.ops[0].As<ConstantAttributes>().value;
}

std::string ErrorOf(const std::string& file) {
  const auto module = ReadBytecode(file, "m.bc");
  return module.ok() ? "read without an error" : std::string(module.status().message());
}

TEST(Bytecode, ReadsConstants) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {2});
  const auto value = ConstantOf(program.Finish(type, program.Dense(type, BytesOf({1, 2}))));
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, Literal::FromValues<float>(TensorType{DType::kF32, {2}}, {1, 2}));
}

TEST(Bytecode, ReadsBoolsInEitherPackingAndAsSplats) {
  const std::vector<uint8_t> expected = {1, 0, 1, 1, 0, 0, 0, 0, 1};
  for (const std::string& bytes :
       {std::string("\x0D\x01", 2), std::string("\1\0\1\1\0\0\0\0\1", 9)}) {
    ConstantProgram program;
    const uint64_t type = program.Tensor(kVhloI1, {9});
    const auto value = ConstantOf(program.Finish(type, program.Dense(type, bytes)));
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(*value, Literal::FromValues<uint8_t>(TensorType{DType::kI1, {9}}, expected));
  }
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloI1, {9});
  const auto value = ConstantOf(program.Finish(type, program.Dense(type, "\xFF")));
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, Literal::Filled(TensorType{DType::kI1, {9}}, 1));
}

TEST(Bytecode, ReadsConstantsFromResources) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {2});
  const uint64_t resource = program.writer.Resource("weights", BytesOf({3, 4}));
  const uint64_t value =
      program.writer.Attribute("builtin", Writer::Varint(kBuiltinResource) + Writer::Varint(type) +
                                              Writer::Varint(resource));
  const auto literal = ConstantOf(program.Finish(type, value));
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(*literal, Literal::FromValues<float>(TensorType{DType::kF32, {2}}, {3, 4}));
}

TEST(Bytecode, RefusesConstantsOfAWrongSize) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {3});
  EXPECT_THAT(ErrorOf(program.Finish(type, program.Dense(type, BytesOf({1, 2})))),
              HasSubstr("expected 12 bytes for tensor<3xf32> (or 4 for equal elements), found 8"));
}

TEST(Bytecode, ReadsPropertiesOfOpsThatTheProducerDidNotKnow) {
  ConstantProgram program;
  Writer& writer = program.writer;
  const uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t value = program.Dense(type, BytesOf({5}));
  const uint64_t key = writer.Attribute(
      "builtin", Writer::Varint(kBuiltinString) + Writer::Varint(writer.String("value")));
  const uint64_t dictionary =
      writer.Attribute("builtin", Writer::Varint(kBuiltinDictionary) + Writer::Varint(1) +
                                      Writer::Varint(key) + Writer::Varint(value));
  const uint64_t constant = writer.Op("vhlo", "constant_v1", /*registered=*/false);
  const uint64_t end = writer.Op("vhlo", "return_v1");
  const uint64_t properties = writer.Properties(Writer::Varint(dictionary));
  const auto literal = ConstantOf(writer.Finish(
      {type},
      {Writer::EncodeOp(constant, {properties}, {type}, {}), Writer::EncodeOp(end, {}, {}, {0})},
      1));
  ASSERT_TRUE(literal.ok()) << literal.status();
  EXPECT_EQ(*literal, Literal::FromValues<float>(TensorType{DType::kF32, {}}, {5}));
}

TEST(Bytecode, NamesOpsAndVersionsThatItDoesNotKnow) {
  const auto error_with = [](absl::string_view op) {
    ConstantProgram program;
    const uint64_t type = program.Tensor(kVhloF32, {});
    const auto module =
        ReadBytecode(program.Finish(type, program.Dense(type, BytesOf({1})), op), "m.bc");
    EXPECT_EQ(module.status().code(), absl::StatusCode::kUnimplemented);
    return std::string(module.status().message());
  };
  EXPECT_EQ(error_with("constant_v99"),
            "m.bc: @main: op 0 'vhlo.constant_v99': op 'vhlo.constant_v99' is not supported: "
            "version 1 of it is known (StableHLO 1.22.0)");
  EXPECT_EQ(error_with("custom_call_v3"),
            "m.bc: @main: op 0 'vhlo.custom_call_v3': op 'vhlo.custom_call_v3' is not supported: "
            "versions 1 to 2 are known (StableHLO 1.22.0)");
  EXPECT_EQ(error_with("conjure_v1"),
            "m.bc: @main: op 0 'vhlo.conjure_v1': op 'vhlo.conjure_v1' is not supported: "
            "StableHLO 1.22.0 has no such op");
}

// An unknown op at a location: what the message says of it.
std::string ErrorAt(ConstantProgram& program, uint64_t location) {
  const uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t op = program.writer.Op("vhlo", "conjure_v1");
  return ErrorOf(
      program.writer.Finish({type}, {Writer::EncodeOp(op, {}, {type}, {}, {}, location)}, 1));
}

TEST(Bytecode, SaysWhereInTheSourceAnOpComesFrom) {
  ConstantProgram program;
  const auto text = [&](absl::string_view text) {
    return Writer::Varint(program.writer.Attribute(
        "builtin", Writer::Varint(kBuiltinString) + Writer::Varint(program.writer.String(text))));
  };
  const auto location = [&](uint64_t code, std::string data) {
    return program.writer.Attribute("builtin", Writer::Varint(code) + data);
  };
  const uint64_t inner = location(kBuiltinFileLineColumnRange,
                                  text("layers.py") + Writer::Varint(3) + Writer::Varint(12) +
                                      Writer::Varint(5) + Writer::Varint(20));
  const uint64_t outer =
      location(kBuiltinFileLineColumn, text("train.py") + Writer::Varint(40) + Writer::Varint(1));
  const uint64_t function =
      location(kBuiltinNamedLocation, text("my_layer") + Writer::Varint(inner));
  const uint64_t call =
      location(kBuiltinCallSite, Writer::Varint(function) + Writer::Varint(outer));
  const uint64_t named =
      location(kBuiltinNamedLocation, text("jit(step)/dot_general") + Writer::Varint(call));
  EXPECT_THAT(ErrorAt(program, named),
              HasSubstr("'vhlo.conjure_v1' at layers.py:12:5 (jit(step)/dot_general): "));
  EXPECT_THAT(ErrorAt(program, outer), HasSubstr("'vhlo.conjure_v1' at train.py:40:1: "));
}

TEST(Bytecode, KeepsWhereOpsWereMade) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {2});
  const uint64_t file =
      program.writer.Attribute("builtin", Writer::Varint(kBuiltinString) +
                                              Writer::Varint(program.writer.String("train.py")));
  const uint64_t location = program.writer.Attribute(
      "builtin", Writer::Varint(kBuiltinFileLineColumn) + Writer::Varint(file) +
                     Writer::Varint(40) + Writer::Varint(1));
  const uint64_t constant = program.writer.Op("vhlo", "constant_v1");
  const uint64_t properties =
      program.writer.Properties(Writer::Varint(program.Dense(type, BytesOf({1, 2}))));
  const std::string end = Writer::EncodeOp(program.writer.Op("vhlo", "return_v1"), {}, {}, {0});
  const std::string known = Writer::EncodeOp(constant, {properties}, {type}, {}, {}, location);
  const std::string unknown = Writer::EncodeOp(constant, {properties}, {type}, {});
  const auto module = ReadBytecode(program.writer.Finish({type}, {known, unknown, known, end}, 3));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(module->source_locations, testing::ElementsAre("train.py:40:1"));
  const std::vector<Op>& ops = module->functions[0].body.ops;
  EXPECT_EQ(ops[0].location.index, 1u);
  EXPECT_EQ(ops[1].location.index, 0u);
  EXPECT_EQ(ops[2].location.index, 1u);
}

TEST(Bytecode, IgnoresLocationsThatItDoesNotUnderstand) {
  ConstantProgram program;
  const uint64_t itself = program.writer.Attribute("builtin", "") + 1;
  const uint64_t cycle =
      program.writer.Attribute("builtin", Writer::Varint(kBuiltinCallSite) +
                                              Writer::Varint(itself) + Writer::Varint(itself));
  ASSERT_EQ(cycle, itself);
  const uint64_t cut = program.writer.Attribute("builtin", Writer::Varint(kBuiltinNamedLocation));
  for (const uint64_t location : {cycle, cut}) {
    EXPECT_THAT(ErrorAt(program, location), HasSubstr("op 0 'vhlo.conjure_v1': op"));
  }
}

TEST(Bytecode, KnowsEveryOpOfStableHloInSomeVersion) {
  for (int kind = 0; kind < kNumOpKinds; ++kind) {
    absl::string_view name = NameOf(static_cast<OpKind>(kind));
    if (!absl::ConsumePrefix(&name, "stablehlo.") && !absl::ConsumePrefix(&name, "func.")) continue;
    // Custom calls there.
    if (name == "dynamic_reduce_window" || name == "dynamic_rng_bit_generator") continue;
    const bool known = bytecode::FindVhloOp(absl::StrCat(name, "_v1")).ok() ||
                       bytecode::FindVhloOp(absl::StrCat(name, "_v2")).ok();
    EXPECT_TRUE(known) << name << " has no row in vhlo_ops.def";
  }
}

TEST(Bytecode, KnowsEveryOpOfShardyThatTheRepresentationHas) {
  for (int kind = 0; kind < kNumOpKinds; ++kind) {
    absl::string_view name = NameOf(static_cast<OpKind>(kind));
    if (!absl::ConsumePrefix(&name, "sdy.")) continue;
    EXPECT_TRUE(bytecode::FindShardyOp(name).ok()) << name << " has no row in sdy_ops.def";
  }
}

// A program with an attribute of Shardy in the place of a constant: what the message says of it.
std::string ErrorOfShardy(absl::string_view encoded) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {});
  return ErrorOf(program.Finish(type, program.writer.Attribute("sdy", encoded)));
}

TEST(Bytecode, RefusesMalformedAttributesOfShardy) {
  constexpr uint64_t kMeshAxis = 1, kMesh = 2, kSubAxisInfo = 3, kAxisRef = 4, kDimension = 5,
                     kSharding = 6, kAxisRefList = 11;
  const std::string none = Writer::Varint(0);
  EXPECT_THAT(ErrorOfShardy(Writer::Varint(kMeshAxis) + Writer::Varint(99) + none),
              HasSubstr("there is no string 99"));
  EXPECT_THAT(ErrorOfShardy(Writer::Varint(kMesh) + none + Writer::Varint(1000)),
              HasSubstr("expected 1000 integers, 0 bytes remain"));
  EXPECT_THAT(ErrorOfShardy(Writer::Varint(kSubAxisInfo) + Writer::Signed(1)),
              HasSubstr("expected a number, no byte remains"));
  EXPECT_THAT(
      ErrorOfShardy(Writer::Varint(kSubAxisInfo) + Writer::Signed(1) + Writer::Signed(2) + none),
      HasSubstr("sub_axis_info has 1 bytes too many"));
  EXPECT_THAT(ErrorOfShardy(Writer::Varint(kAxisRef) + none + Writer::Varint(99 << 1 | 1)),
              HasSubstr("there is no attribute 99"));
  EXPECT_THAT(ErrorOfShardy(Writer::Varint(kDimension) + none + "\2" + none),
              HasSubstr("expected 0 or 1, found 2"));
  EXPECT_THAT(ErrorOfShardy(Writer::Varint(kSharding) + Writer::Varint(99)),
              HasSubstr("there is no attribute 99"));
  EXPECT_THAT(ErrorOfShardy(Writer::Varint(kAxisRefList) + none + none),
              HasSubstr("a list has 1 bytes too many"));
}

TEST(Bytecode, RefusesAttributesOfShardyThatContainThemselves) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t itself = program.Dense(type, BytesOf({1})) + 1;
  const uint64_t cycle = program.writer.Attribute(
      "sdy", Writer::Varint(0) + Writer::Varint(1) + Writer::Varint(itself));
  ASSERT_EQ(cycle, itself);
  EXPECT_THAT(ErrorOf(program.Finish(type, cycle)), HasSubstr("nesting is deeper than 64"));
}

TEST(Bytecode, RefusesAttributesOfShardyAsText) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t mesh = program.writer.TextAttribute("sdy", "#sdy.mesh<[\"a\"=2]>");
  EXPECT_THAT(ErrorOf(program.Finish(type, mesh)), HasSubstr("by an older version of Shardy"));
}

TEST(Bytecode, RefusesNewerFormats) {
  ConstantProgram program(/*version=*/7);
  const uint64_t type = program.Tensor(kVhloF32, {});
  EXPECT_EQ(ErrorOf(program.Finish(type, program.Dense(type, BytesOf({1})))),
            "m.bc: MLIR bytecode version 7 is not supported, only 0 to 6");
}

TEST(Bytecode, RefusesAttributesThatContainThemselves) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t itself = program.Dense(type, BytesOf({1})) + 1;
  const uint64_t cycle = program.writer.Attribute(
      "vhlo", Writer::Varint(kVhloArray) + Writer::Varint(1) + Writer::Varint(itself));
  ASSERT_EQ(cycle, itself);
  EXPECT_THAT(ErrorOf(program.Finish(type, cycle)), HasSubstr("nesting is deeper than 64"));
}

TEST(Bytecode, RefusesTypesThatUnfoldToTooMuch) {
  ConstantProgram program;
  uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t value = program.Dense(type, BytesOf({1}));
  for (int i = 0; i < 50; ++i) {
    type = program.writer.Type("vhlo", Writer::Varint(kVhloTuple) + Writer::Varint(2) +
                                           Writer::Varint(type) + Writer::Varint(type));
  }
  EXPECT_THAT(ErrorOf(program.Finish(type, value)), HasSubstr("the program would take more than"));
}

TEST(Bytecode, RefusesDeepRegions) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t op = program.writer.Op("vhlo", "case_v1");
  std::string nested = Writer::EncodeOp(op, {}, {type}, {});
  for (int i = 0; i < 2000; ++i) {
    nested = Writer::EncodeOp(op, {}, {type}, {}, {Writer::EncodeRegion({nested}, 1)});
  }
  EXPECT_THAT(ErrorOf(program.writer.Finish({type}, {nested}, 1)),
              HasSubstr("regions are nested deeper than 256"));
}

TEST(Bytecode, RefusesValuesUsedBeforeTheyAreDefined) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t op = program.writer.Op("vhlo", "abs_v1");
  EXPECT_EQ(ErrorOf(program.writer.Finish({type}, {Writer::EncodeOp(op, {}, {type}, {0})}, 1)),
            "m.bc: @main: op 0 'vhlo.abs_v1': expected a value defined before, found value 0");
}

TEST(Bytecode, RefusesModulesOfOtherDialects) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {});
  const uint64_t op = program.writer.Op("stablehlo", "abs");
  EXPECT_THAT(
      ErrorOf(program.writer.Finish({type}, {Writer::EncodeOp(op, {}, {type}, {})}, 1)),
      HasSubstr("op 'stablehlo.abs' is not supported in bytecode, only VHLO and Shardy are"));
}

TEST(Bytecode, RefusesEveryTruncation) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {2});
  const std::string file = program.Finish(type, program.Dense(type, BytesOf({1, 2})));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(ReadBytecode(file.substr(0, size)).ok()) << size;
  }
}

TEST(Program, IsToldApartByItsFirstBytes) {
  ConstantProgram program;
  const uint64_t type = program.Tensor(kVhloF32, {});
  EXPECT_TRUE(ReadProgram(program.Finish(type, program.Dense(type, BytesOf({1})))).ok());
  EXPECT_TRUE(ReadProgram("func.func @main() { return }").ok());
  EXPECT_THAT(std::string(ReadProgram("ML\xEFR\x0D", "m").status().message()),
              StartsWith("m: byte "));
}

}  // namespace
}  // namespace acceld::ir
