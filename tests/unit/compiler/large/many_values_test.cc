// Programs with very many values: arguments, results, pieces, and values that loops carry.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/types/element.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/random/cpu_runner.h"

namespace acceld::compiler {
namespace {

using Names = std::vector<std::string>;
using ir::DType;

std::string Join(const Names& names) { return absl::StrJoin(names, ", "); }

ir::Literal Counted(DType dtype, ir::Dims dims, int64_t first) {
  const ir::TensorType type{dtype, std::move(dims)};
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const int64_t value = (first + i) % 50;
    if (ir::IsComplex(dtype)) {
      ir::WriteFloat(DType::kF32, bytes.data(), 2 * i, static_cast<double>(value));
      ir::WriteFloat(DType::kF32, bytes.data(), 2 * i + 1, static_cast<double>(-value));
    } else if (ir::IsFloat(dtype)) {
      ir::WriteFloat(dtype, bytes.data(), i, static_cast<double>(value));
    } else {
      ir::WriteInt(dtype, bytes.data(), i, dtype == DType::kI1 ? value % 2 : value);
    }
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

// Expects the interpreter's bits, whether or not the arguments are donated.
void ExpectAgreement(const std::string& text, const std::vector<ir::Literal>& arguments) {
  const auto module = ir::ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status() << text.substr(0, 2000);
  const auto expected = ir::Interpret(*module, "main", arguments);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const auto program = CpuProgram::Compile(*module, arguments);
  ASSERT_TRUE(program.ok()) << program.status();
  for (const bool donated : {false, true}) {
    const auto actual = program->Run(arguments, 2, {}, [&](uint32_t) { return donated; });
    ASSERT_TRUE(actual.ok()) << actual.status();
    ASSERT_EQ(actual->size(), expected->size());
    for (size_t i = 0; i < actual->size(); ++i) {
      ASSERT_EQ((*actual)[i].DenseBytes(), (*expected)[i].DenseBytes())
          << "result " << i << (donated ? ", donated" : "");
    }
  }
}

// Concatenates pieces of sizes 0 to 4, arguments as they are or negated, along `dimension`.
void ExpectConcatenated(DType dtype, size_t num_pieces, size_t dimension) {
  Names parameters, pieces, types;
  std::vector<ir::Literal> arguments;
  std::string ops;
  int64_t whole = 0;
  const auto type_of = [&](int64_t size) {
    ir::Dims dims = {3, 2};
    dims[dimension] = size;
    return ir::TensorType{dtype, std::move(dims)};
  };
  for (size_t i = 0; i < num_pieces; ++i) {
    const ir::TensorType type = type_of(static_cast<int64_t>(i % 5));
    whole += type.dims[dimension];
    arguments.push_back(Counted(dtype, type.dims, static_cast<int64_t>(i)));
    types.push_back(type.ToString());
    parameters.push_back(absl::StrCat("%a", i, ": ", types.back()));
    pieces.push_back(absl::StrCat(i % 3 == 0 ? "%n" : "%a", i));
    const char* op = dtype == DType::kI1 ? "not" : "negate";
    if (i % 3 == 0) {
      absl::StrAppend(&ops, "  %n", i, " = stablehlo.", op, " %a", i, " : ", types.back(), "\n");
    }
  }
  const std::string result = type_of(whole).ToString();
  ExpectAgreement(
      absl::StrCat("func.func @main(", Join(parameters), ") -> ", result, " {\n", ops,
                   "  %r = stablehlo.concatenate ", Join(pieces), ", dim = ", dimension, " : (",
                   Join(types), ") -> ", result, "\n  return %r : ", result, "\n}\n"),
      arguments);
}

TEST(ManyValuesTest, ConcatenationsOfFewAndManyPiecesAgree) {
  for (const size_t num_pieces : {2u, 63u, 64u, 65u, 200u}) {
    for (const size_t dimension : {0u, 1u}) {
      SCOPED_TRACE(absl::StrCat(num_pieces, " pieces along ", dimension));
      ExpectConcatenated(DType::kF32, num_pieces, dimension);
    }
  }
}

TEST(ManyValuesTest, ManyPiecesOfOtherTypesAgree) {
  for (const DType dtype : {DType::kI1, DType::kI8, DType::kBF16, DType::kF64, DType::kC64}) {
    SCOPED_TRACE(ir::DTypeName(dtype));
    ExpectConcatenated(dtype, 130, 1);
  }
}

TEST(ManyValuesTest, ManyArgumentsAreUpdatedPermutedAndReturned) {
  constexpr size_t kCount = 300;
  Names parameters, results, types(kCount, "tensor<4xi32>");
  std::vector<ir::Literal> arguments;
  std::string ops;
  for (size_t i = 0; i < kCount; ++i) {
    arguments.push_back(Counted(DType::kI32, {4}, static_cast<int64_t>(i)));
    parameters.push_back(absl::StrCat("%a", i, ": tensor<4xi32>"));
    absl::StrAppend(&ops, "  %r", i, " = stablehlo.subtract %a", i, ", %a", (i * 7 + 3) % kCount,
                    " : tensor<4xi32>\n");
    const size_t from = (i * 11 + 5) % kCount;
    results.push_back(absl::StrCat(i % 4 == 0 ? "%a" : "%r", from));
  }
  ExpectAgreement(absl::StrCat("func.func @main(", Join(parameters), ") -> (", Join(types), ") {\n",
                               ops, "  return ", Join(results), " : ", Join(types), "\n}\n"),
                  arguments);
}

TEST(ManyValuesTest, LoopsCarryManyValuesThatChangePlaces) {
  constexpr size_t kCount = 200;
  Names parameters, carried, next, results;
  Names types(kCount, "tensor<2xi32>");
  std::vector<ir::Literal> arguments;
  std::string ops;
  for (size_t i = 0; i < kCount; ++i) {
    arguments.push_back(Counted(DType::kI32, {2}, static_cast<int64_t>(i)));
    parameters.push_back(absl::StrCat("%a", i, ": tensor<2xi32>"));
    carried.push_back(absl::StrCat("%x", i, " = %a", i / 2));
    const size_t from = (i + 1) % kCount;
    if (i % 5 == 0) {
      absl::StrAppend(&ops, "    %y", i, " = stablehlo.add %x", i, ", %x", from,
                      " : tensor<2xi32>\n");
    }
    next.push_back(absl::StrCat(i % 5 == 0 ? "%y" : "%x", i % 5 == 0 ? i : from));
    results.push_back(absl::StrCat("%w#", i + 1));
  }
  ExpectAgreement(
      absl::StrCat(
          "func.func @main(", Join(parameters), ") -> (", Join(types), ") {\n",
          "  %zero = stablehlo.constant dense<0> : tensor<i32>\n",
          "  %one = stablehlo.constant dense<1> : tensor<i32>\n",
          "  %many = stablehlo.constant dense<37> : tensor<i32>\n", "  %w:", kCount + 1,
          " = stablehlo.while(%i = %zero, ", Join(carried), ") : tensor<i32>, ", Join(types),
          "\n  cond {\n",
          "    %c = stablehlo.compare LT, %i, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>\n",
          "    stablehlo.return %c : tensor<i1>\n  } do {\n",
          "    %n = stablehlo.add %i, %one : tensor<i32>\n", ops, "    stablehlo.return %n, ",
          Join(next), " : tensor<i32>, ", Join(types), "\n  }\n  return ", Join(results), " : ",
          Join(types), "\n}\n"),
      arguments);
}

TEST(ManyValuesTest, OneValueHasManyReaders) {
  constexpr int kCount = 700;
  std::string ops = "  %s = stablehlo.sine %x : tensor<8xf32>\n";
  Names results, types;
  for (int i = 0; i < kCount; ++i) {
    const int size = 1 + i % 7;
    types.push_back(absl::StrCat("tensor<", size, "xf32>"));
    results.push_back(absl::StrCat("%r", i));
    absl::StrAppend(&ops, "  %p", i, " = stablehlo.slice %s [", i % 2, ":", i % 2 + size,
                    "] : (tensor<8xf32>) -> ", types.back(), "\n  %r", i, " = stablehlo.add %p", i,
                    ", %p", i, " : ", types.back(), "\n");
  }
  ExpectAgreement(absl::StrCat("func.func @main(%x: tensor<8xf32>) -> (", Join(types), ") {\n", ops,
                               "  return ", Join(results), " : ", Join(types), "\n}\n"),
                  {Counted(DType::kF32, {8}, 0)});
}

}  // namespace
}  // namespace acceld::compiler
