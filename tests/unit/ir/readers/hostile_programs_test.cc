#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "acceld/v1/program.pb.h"
#include "common/ir/bytecode.h"
#include "common/ir/specialize/specialize.h"
#include "common/ir/text.h"
#include "common/ir/verify/limits.h"
#include "common/ir/wire/wire.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/counted_heap.h"
#include "tests/unit/ir/readers/bytecode_writer.h"

// Programs that are small and stand for much: the classes of flaws that parsers of other projects
// had (CWE-674, uncontrolled recursion; CWE-776 and CWE-409, expansion of entities and of data;
// CWE-789, allocation of a size that the input names). Each must be refused within bounds of
// memory.
namespace acceld::ir {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StrEq;
using Writer = BytecodeWriter;

// What reading any of these small programs may take. Above that, allocations fail.
constexpr int64_t kMostBytes = int64_t{700} << 20;

std::string Repeat(absl::string_view text, int count, absl::string_view between = "") {
  return absl::StrJoin(std::vector<absl::string_view>(count, text), between);
}

// `count` aliases, each of which `next` makes of the name of the one before. The last is the last
// of the names.
std::string Aliases(char sigil, absl::string_view first, int count,
                    const std::function<std::string(const std::string&)>& next) {
  std::string text = absl::StrCat(std::string(1, sigil), "a0 = ", first, "\n");
  for (int i = 1; i < count; ++i) {
    const std::string before = absl::StrCat(std::string(1, sigil), "a", i - 1);
    absl::StrAppend(&text, std::string(1, sigil), "a", i, " = ", next(before), "\n");
  }
  return text;
}

// A function whose body is `ops` and that gives its argument.
std::string Main(absl::string_view ops, absl::string_view type = "tensor<2xf32>") {
  return absl::StrCat("func.func @main(%x: ", type, ") -> ", type, " {\n", ops,
                      "\nreturn %x : ", type, "\n}\n");
}

// An op that keeps an attribute of any kind.
std::string Keeping(absl::string_view attribute) {
  return absl::StrCat("%c = stablehlo.custom_call @f(%x) {backend_config = ", attribute,
                      "} : (tensor<2xf32>) -> tensor<2xf32>");
}

absl::StatusOr<Module> ReadText(const std::string& text) { return ParseModule(text, "m.mlir"); }

class HostileProgramsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::SetHeapLimit(testing::HeapBytes() + kMostBytes);
    testing::ResetPeak();
    before_ = testing::HeapBytes();
  }

  // The input was refused for what it would become, long before memory was short.
  void ExpectOverBudget(const absl::Status& status, absl::string_view name) const {
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << name << ": " << status;
    EXPECT_THAT(std::string(status.message()),
                AnyOf(HasSubstr("bytes of memory, the budget for"), HasSubstr("take more than")))
        << name;
    EXPECT_LT(testing::PeakHeapBytes() - before_, kMostBytes) << name;
  }
  void ExpectTooDeep(const absl::Status& status, absl::string_view name) const {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name << ": " << status;
    EXPECT_THAT(std::string(status.message()),
                AnyOf(HasSubstr("deeper than 64"), HasSubstr("nested deeper")))
        << name;
  }

  int64_t before_ = 0;
};

struct TextCase {
  absl::string_view name;
  std::string text;
};

std::string PerAxis(int count) {
  return absl::StrCat("!quant.uniform<i8:f32:0, {", Repeat("1.0:1", count, ","), "}>");
}

TEST_F(HostileProgramsTest, EntityExpansionInTextIsRefused) {
  const auto pair = [](const std::string& a) { return absl::StrCat("[", a, ", ", a, "]"); };
  const std::string doubling = Aliases('#', "1", 60, pair);
  const auto twice = [](const std::string& a) { return absl::StrCat("tuple<", a, ", ", a, ">"); };
  const std::string types = Aliases('!', "tensor<2xf32>", 60, twice);
  const std::string wide = absl::StrCat("!t = tuple<", Repeat("tensor<f32>", 2'000, ","), ">\n");
  const std::string long_text = absl::StrCat("#s = \"", Repeat("x", 65'536), "\"\n");
  const std::vector<TextCase> cases = {
      {"arrays", absl::StrCat(doubling, Main(Keeping("#a59")))},
      {"an attribute that no op keeps",
       absl::StrCat(doubling, Main("%y = \"stablehlo.add\"(%x, %x) {a = #a59} : "
                                   "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"))},
      {"dictionaries", absl::StrCat(Aliases('#', "unit", 60,
                                            [](const std::string& a) {
                                              return absl::StrCat("{x = ", a, ", y = ", a, "}");
                                            }),
                                    Main(Keeping("#a59")))},
      {"structures",
       absl::StrCat(Aliases('#', "1.5 : f32", 60,
                            [](const std::string& a) {
                              return absl::StrCat("#stablehlo.z<x = ", a, ", y = ", a, ">");
                            }),
                    Main(Keeping("#a59")))},
      {"ten at a time", absl::StrCat(Aliases('#', "\"lol\"", 12,
                                             [](const std::string& a) {
                                               return absl::StrCat("[", Repeat(a, 10, ","), "]");
                                             }),
                                     Main(Keeping("#a11")))},
      {"strings",
       absl::StrCat(long_text, Main(Keeping(absl::StrCat("[", Repeat("#s", 20'000, ","), "]"))))},
      {"a module's attributes",
       absl::StrCat(doubling, "module attributes {a = #a59} {\n", Main(""), "}")},
      {"a function's attributes",
       absl::StrCat(doubling, "func.func @main() attributes {a = #a59} { return }")},
      {"a parameter's attributes",
       absl::StrCat(doubling, "func.func @main(%x: tensor<f32> {a = #a59}) { return }")},
      {"a composite's attributes",
       absl::StrCat(doubling, Main("%c = stablehlo.composite \"a.b\" %x {composite_attributes = "
                                   "{a = #a59}, decomposition = @f} : (tensor<2xf32>) -> "
                                   "tensor<2xf32>"))},
      {"types", absl::StrCat(types, Main("", "!a59"))},
      {"types in attributes", absl::StrCat(types, Main(Keeping("!a59")))},
      {"types of functions", absl::StrCat(types, "func.func @main() -> (!a59) { return }")},
      {"one type for all operands",
       absl::StrCat(wide, Main(absl::StrCat("%y = stablehlo.add ", Repeat("%x", 30'000, ","),
                                            " : !t"),
                               "!t"))},
      {"operands that say their types",
       absl::StrCat(wide, "func.func @main(%x: !t) { return ", Repeat("%x", 5'000, ","), " : ",
                    Repeat("!t", 5'000, ","), " }")},
      {"what a loop carries",
       [&] {
         std::vector<std::string> carried;
         for (int i = 0; i < 5'000; ++i) carried.push_back(absl::StrCat("%p", i, " = %x"));
         return absl::StrCat(wide, Main(absl::StrCat("%y = stablehlo.while(",
                                                     absl::StrJoin(carried, ","), ") cond {"),
                                        "!t"));
       }()},
      {"scales of quantized types",
       absl::StrCat("!q = ", PerAxis(20'000), "\n",
                    Main(Repeat("stablehlo.custom_call @f() : () -> tensor<20000x!q>\n", 5'000)))},
      {"ops that are written as many",
       Main([] {
         std::string ops = "%0 = stablehlo.constant dense<2.0> : tensor<f64>\n";
         for (int i = 1; i < 6'000; ++i) {
           absl::StrAppend(&ops, "%", i, "=chlo.lgamma %0:tensor<f64>->tensor<f64>\n");
         }
         return ops;
       }())},
  };
  for (const TextCase& c : cases) {
    testing::ResetPeak();
    ExpectOverBudget(ReadText(c.text).status(), c.name);
  }
}

TEST_F(HostileProgramsTest, TheBombIsRefusedWhereItGoesOff) {
  const std::string text =
      absl::StrCat(Aliases('#', "1", 60,
                           [](const std::string& a) { return absl::StrCat("[", a, ", ", a, "]"); }),
                   Main(""));
  EXPECT_THAT(std::string(ReadText(text).status().message()),
              HasSubstr(absl::StrCat("m.mlir:20:9: #a18: the program would take more than ")));
}

TEST_F(HostileProgramsTest, ExpansionOfDataIsNoMoreThanItsForm) {
  const std::vector<TextCase> cases = {
      {"a splat of a huge type",
       Main("%c = stablehlo.constant dense<1> : tensor<70368744177664xi8>")},
      {"bits", Main(absl::StrCat("%c = stablehlo.constant dense<\"0x", Repeat("0F", 500'000),
                                 "\"> : tensor<4000000xi1>"))},
      {"small integers", Main(absl::StrCat("%c = stablehlo.constant dense<[",
                                           Repeat("1", 500'000, ","), "]> : tensor<500000xi2>"))},
      {"large elements",
       Main(absl::StrCat("%c = stablehlo.constant dense<[", Repeat("(0.,0.)", 500'000, ","),
                         "]> : tensor<500000xcomplex<f64>>"))},
      {"locations", absl::StrCat("#l0 = loc(\"a\":1:1)\n#l1 = loc(callsite(#l0 at #l0))\n"
                                 "#l2 = loc(fused[#l1, #l1])\n",
                                 Main("%y = stablehlo.add %x, %x : tensor<2xf32> loc(#l2)"))},
      {"few aliases",
       absl::StrCat("#a = [1, 2]\n#b = [#a, #a]\n!t = tuple<tensor<f32>>\n", Main(Keeping("#b")))},
  };
  for (const TextCase& c : cases) {
    testing::ResetPeak();
    const auto module = ReadText(c.text);
    EXPECT_TRUE(module.ok()) << c.name << ": " << module.status();
    EXPECT_LT(testing::PeakHeapBytes() - before_, int64_t{64} << 20) << c.name;
  }
}

TEST_F(HostileProgramsTest, RecursionInTextIsRefused) {
  constexpr int kDeep = 100'000;
  const auto nested = [](absl::string_view open, absl::string_view inner, absl::string_view close) {
    return absl::StrCat(Repeat(open, kDeep), inner, Repeat(close, kDeep));
  };
  const auto one = [](const std::string& a) { return absl::StrCat("[", a, "]"); };
  const auto tuple = [](const std::string& a) { return absl::StrCat("tuple<", a, ">"); };
  const std::vector<TextCase> cases = {
      {"arrays", Main(Keeping(nested("[", "1", "]")))},
      {"dictionaries", Main(Keeping(nested("{a = ", "1", "}")))},
      {"structures", Main(Keeping(nested("#stablehlo.a<b = ", "1", ">")))},
      {"structures of the older spelling", Main(Keeping(nested("#stablehlo<a<b = ", "1", ">>")))},
      {"types of strings", Main(Keeping(Repeat("\"a\"", kDeep, ":")))},
      {"tuples", Main("", nested("tuple<", "tensor<f32>", ">"))},
      {"tuples in attributes", Main(Keeping(nested("tuple<", "tensor<f32>", ">")))},
      {"foreign attributes", Main(Keeping(absl::StrCat("#other.a", nested("<", "1", ">"))))},
      {"locations", absl::StrCat(Main(""), "#loc = loc", nested("(", "", ")"))},
      {"maps", Main(Keeping(absl::StrCat("affine_map", nested("<", "", ">"))))},
      {"regions", Main(absl::StrCat(Repeat("\"stablehlo.case\"(%x) ({", kDeep)))},
      {"aliases of arrays", absl::StrCat(Aliases('#', "1", 2'000, one), Main(Keeping("#a1999")))},
      {"aliases of dictionaries",
       absl::StrCat(Aliases('#', "1", 200,
                            [](const std::string& a) { return absl::StrCat("{a = ", a, "}"); }),
                    Main(Keeping("#a199")))},
      {"aliases of types",
       absl::StrCat(Aliases('!', "tensor<f32>", 200, tuple), Main("", "!a199"))},
      {"an alias deep inside",
       absl::StrCat(Aliases('#', "1", 40, one),
                    Main(Keeping(absl::StrCat(Repeat("[", 40), "#a39", Repeat("]", 40)))))},
  };
  for (const TextCase& c : cases) ExpectTooDeep(ReadText(c.text).status(), c.name);
}

TEST_F(HostileProgramsTest, DeepListsOfElementsAreRefused) {
  EXPECT_FALSE(ReadText(Main(absl::StrCat("%c = stablehlo.constant dense<", Repeat("[", 100'000),
                                          "1.0", Repeat("]", 100'000), "> : tensor<1xf32>")))
                   .ok());
  EXPECT_FALSE(ReadText(Main("", absl::StrCat("tensor<", Repeat("1x", 100'000), "f32>"))).ok());
  EXPECT_FALSE(ReadText(Main("", absl::StrCat("tensor<", Repeat("complex<", 100'000), "f32",
                                              Repeat(">", 100'000), ">")))
                   .ok());
}

// Codes of the formats.
constexpr uint64_t kVhloF32 = 4, kVhloTensorType = 20, kVhloTuple = 23;
constexpr uint64_t kVhloArray = 1, kVhloDictionary = 6, kVhloString = 14, kVhloTensor = 15;
constexpr uint64_t kVhloTypeAttribute = 17;
constexpr uint64_t kBuiltinResource = 16, kBuiltinUnknownLocation = 15;

// A bytecode file whose @main holds one custom call with an attribute of the test's choice.
struct BytecodeProgram {
  BytecodeProgram() {
    writer.Attribute("builtin", Writer::Varint(kBuiltinUnknownLocation));
    f32 = writer.Type("vhlo", Writer::Varint(kVhloF32));
    tensor = writer.Type("vhlo",
                         Writer::Varint(kVhloTensorType) + Writer::Varint(0) + Writer::Varint(f32));
    name = Text("a");
  }

  static std::string List(uint64_t code, const std::vector<uint64_t>& items) {
    std::string encoded = Writer::Varint(code) + Writer::Varint(items.size());
    for (const uint64_t item : items) encoded += Writer::Varint(item);
    return encoded;
  }
  uint64_t Text(absl::string_view text) {
    return writer.Attribute("vhlo",
                            Writer::Varint(kVhloString) + Writer::Varint(writer.String(text)));
  }
  uint64_t Array(const std::vector<uint64_t>& elements) {
    return writer.Attribute("vhlo", List(kVhloArray, elements));
  }
  uint64_t Dictionary(const std::vector<std::pair<uint64_t, uint64_t>>& entries) {
    std::string encoded = Writer::Varint(kVhloDictionary) + Writer::Varint(entries.size());
    for (const auto& [key, value] : entries) encoded += Writer::Varint(key) + Writer::Varint(value);
    return writer.Attribute("vhlo", encoded);
  }
  uint64_t TypeAttribute(uint64_t type) {
    return writer.Attribute("vhlo", Writer::Varint(kVhloTypeAttribute) + Writer::Varint(type));
  }
  uint64_t Tuple(const std::vector<uint64_t>& elements) {
    return writer.Type("vhlo", List(kVhloTuple, elements));
  }
  // With a constant whose value is the attribute: whether it is one is seen when it is decoded.
  std::string Finish(uint64_t attribute) {
    const uint64_t constant = writer.Op("vhlo", "constant_v1");
    const uint64_t end = writer.Op("vhlo", "return_v1");
    const uint64_t properties = writer.Properties(Writer::Varint(attribute));
    return writer.Finish({tensor},
                         {Writer::EncodeOp(constant, {properties}, {tensor}, {}),
                          Writer::EncodeOp(end, {}, {}, {0})},
                         1);
  }

  Writer writer;
  uint64_t f32, tensor, name;
};

TEST_F(HostileProgramsTest, EntityExpansionInBytecodeIsRefused) {
  struct Case {
    absl::string_view name;
    std::function<uint64_t(BytecodeProgram&)> attribute;
  };
  const std::vector<Case> cases = {
      {"arrays",
       [](BytecodeProgram& p) {
         uint64_t value = p.name;
         for (int i = 0; i < 50; ++i) value = p.Array({value, value});
         return value;
       }},
      {"dictionaries",
       [](BytecodeProgram& p) {
         const uint64_t other = p.Text("b");
         uint64_t value = p.name;
         for (int i = 0; i < 50; ++i) value = p.Dictionary({{p.name, value}, {other, value}});
         return value;
       }},
      {"types",
       [](BytecodeProgram& p) {
         uint64_t type = p.tensor;
         for (int i = 0; i < 50; ++i) type = p.Tuple({type, type});
         return p.TypeAttribute(type);
       }},
      {"strings",
       [](BytecodeProgram& p) {
         const uint64_t text = p.Text(Repeat("x", 65'536));
         return p.Array(std::vector<uint64_t>(20'000, text));
       }},
      {"names of entries",
       [](BytecodeProgram& p) {
         const uint64_t text = p.Text(Repeat("x", 65'536));
         std::vector<uint64_t> all;
         for (int i = 0; i < 5'000; ++i) all.push_back(p.Dictionary({{text, p.name}}));
         return p.Array(all);
       }},
      {"one resource for many constants",
       [](BytecodeProgram& p) {
         constexpr int kElements = 65'536;
         const uint64_t type =
             p.writer.Type("vhlo", Writer::Varint(kVhloTensorType) + Writer::Varint(1) +
                                       Writer::Signed(kElements) + Writer::Varint(p.f32));
         const uint64_t resource =
             p.writer.Resource("r", std::string(kElements * sizeof(float), '\0'));
         std::vector<uint64_t> all;
         for (int i = 0; i < 3'000; ++i) {
           all.push_back(p.writer.Attribute(
               "builtin",
               Writer::Varint(kBuiltinResource) + Writer::Varint(type) + Writer::Varint(resource)));
         }
         return p.Array(all);
       }},
  };
  for (const Case& c : cases) {
    BytecodeProgram program;
    const std::string bytes = program.Finish(c.attribute(program));
    testing::ResetPeak();
    ExpectOverBudget(ReadBytecode(bytes, "m.bc").status(), c.name);
  }
}

TEST_F(HostileProgramsTest, TablesOfBytecodeCountBeforeTheyAreMade) {
  // A byte for each entry, which takes hundreds once it is decoded.
  constexpr int kEntries = 8'000'000;
  const auto varint = &Writer::Varint;
  std::string file = "ML\xEFR" + varint(6) + "test" + '\0';
  file += Writer::Section(0, varint(1) + varint(8) + "builtin" + '\0');
  file += Writer::Section(1, varint(1) + varint(0) + varint(0));
  file += Writer::Section(2, "");
  file += Writer::Section(3, varint(kEntries) + varint(0) + varint(0) + varint(kEntries) +
                                 std::string(kEntries, '\x01'));
  file += Writer::Section(4, "");
  testing::ResetPeak();
  ExpectOverBudget(ReadBytecode(file, "m.bc").status(), "attributes");
}

TEST_F(HostileProgramsTest, NumbersOfValuesWithLargeTypesAreCharged) {
  BytecodeProgram program;
  const uint64_t type = program.Tuple(std::vector<uint64_t>(10'000, program.tensor));
  const uint64_t call = program.writer.Op("vhlo", "optimization_barrier_v1");
  const uint64_t end = program.writer.Op("vhlo", "return_v1");
  const std::string bytes =
      program.writer.Finish({type},
                            {Writer::EncodeOp(call, {}, {type}, {}),
                             Writer::EncodeOp(end, {}, {}, std::vector<uint64_t>(90'000, 0))},
                            1);
  testing::ResetPeak();
  const absl::Status status = ReadBytecode(bytes, "m.bc").status();
  EXPECT_FALSE(status.ok());
  EXPECT_LT(testing::PeakHeapBytes() - before_, kMostBytes);

  v1::Module proto;
  v1::Function& function = *proto.add_functions();
  function.set_name("main");
  v1::Type::Tuple& tuple = *function.add_value_types()->mutable_tuple();
  for (int i = 0; i < 10'000; ++i) tuple.add_elements()->mutable_token();
  function.mutable_body()->add_parameters(0);
  for (int i = 0; i < 90'000; ++i) function.mutable_body()->add_results(0);
  ExpectOverBudget(FromProto(proto).status(), "results");
  function.mutable_body()->clear_results();
  v1::Op& op = *function.mutable_body()->add_ops();
  op.set_name("stablehlo.after_all");
  for (int i = 0; i < 90'000; ++i) op.add_operands(0);
  ExpectOverBudget(FromProto(proto).status(), "operands");
}

TEST_F(HostileProgramsTest, RecursionInBytecodeIsRefused) {
  constexpr int kDeep = 20'000;
  struct Case {
    absl::string_view name;
    std::function<uint64_t(BytecodeProgram&)> attribute;
  };
  const std::vector<Case> cases = {
      {"arrays",
       [](BytecodeProgram& p) {
         uint64_t value = p.name;
         for (int i = 0; i < kDeep; ++i) value = p.Array({value});
         return value;
       }},
      {"dictionaries",
       [](BytecodeProgram& p) {
         uint64_t value = p.name;
         for (int i = 0; i < kDeep; ++i) value = p.Dictionary({{p.name, value}});
         return value;
       }},
      {"tuples",
       [](BytecodeProgram& p) {
         uint64_t type = p.tensor;
         for (int i = 0; i < kDeep; ++i) type = p.Tuple({type});
         return p.TypeAttribute(type);
       }},
      {"a tuple of itself",
       [](BytecodeProgram& p) { return p.TypeAttribute(p.Tuple({p.tensor + 1})); }},
  };
  for (const Case& c : cases) {
    BytecodeProgram program;
    const std::string bytes = program.Finish(c.attribute(program));
    ExpectTooDeep(ReadBytecode(bytes, "m.bc").status(), c.name);
  }
}

// Each function calls the next one with twice and three times as much: the shapes become many, and
// every one of them calls the function that holds a large attribute.
TEST_F(HostileProgramsTest, CopiesForEachShapeAreCharged) {
  constexpr int kLevels = 24;
  std::string text =
      "func.func @main(%x: tensor<?xf32>) {\n"
      "func.call @f0(%x) : (tensor<?xf32>) -> ()\nreturn\n}\n";
  for (int i = 0; i < kLevels; ++i) {
    const std::string next = i + 1 == kLevels ? "leaf" : absl::StrCat("f", i + 1);
    absl::StrAppend(
        &text, "func.func private @f", i, "(%x: tensor<?xf32>) {\n",
        "%0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> "
        "tensor<?xf32>\n"
        "%1 = stablehlo.concatenate %x, %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>, "
        "tensor<?xf32>) -> tensor<?xf32>\n"
        "func.call @leaf(%x) : (tensor<?xf32>) -> ()\n",
        "func.call @", next, "(%0) : (tensor<?xf32>) -> ()\nfunc.call @", next,
        "(%1) : (tensor<?xf32>) -> ()\nreturn\n}\n");
  }
  absl::StrAppend(&text, "func.func private @leaf(%x: tensor<?xf32>) {\n",
                  "stablehlo.custom_call @f(%x) {backend_config = \"", Repeat("x", 1 << 20),
                  "\"} : (tensor<?xf32>) -> ()\nreturn\n}\n");
  const auto module = ReadText(text);
  ASSERT_TRUE(module.ok()) << module.status();
  testing::ResetPeak();
  const TensorType argument{DType::kF32, {1}};
  ExpectOverBudget(Specialize(*module, "main", {&argument, 1}).status(), "functions");
}

}  // namespace
}  // namespace acceld::ir
