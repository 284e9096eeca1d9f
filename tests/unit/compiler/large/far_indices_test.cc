// Indices at the ends of their types: the largest unsigned ones are far beyond an array, never
// before its beginning. Source: StableHLO specification, "scatter" (updates out of bounds are left
// out, one by one), "gather", "dynamic_slice", "dynamic_update_slice" (starts are clamped).
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/types/element.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/random/cpu_runner.h"

namespace acceld::compiler {
namespace {

using Number = __int128;  // of any index
using Row = std::vector<int32_t>;

const Row kArray = {10, 20, 30, 40};
const Row kUpdate = {1, 2};

Number Clamped(Number start, int64_t last) { return std::clamp<Number>(start, 0, last); }

Row Scattered(Number start) {
  Row row = kArray;
  for (size_t i = 0; i < kUpdate.size(); ++i) {
    const Number at = start + static_cast<Number>(i);
    if (at >= 0 && at < static_cast<Number>(row.size())) row[static_cast<size_t>(at)] = kUpdate[i];
  }
  return row;
}
Row Updated(Number start) { return Scattered(Clamped(start, 2)); }
Row Sliced(Number start) {
  const auto at = static_cast<size_t>(Clamped(start, 2));
  return {kArray[at], kArray[at + 1]};
}
Row Selected(Number start) { return {kArray[static_cast<size_t>(Clamped(start, 3))]}; }

// `$I` stands for the element type of the index %i.
struct Case {
  absl::string_view name;
  absl::string_view ops;
  absl::string_view result;
  Row (*expected)(Number start);
};
constexpr Case kCases[] = {
    {"scatter", R"(
  %v = stablehlo.reshape %i : (tensor<$I>) -> tensor<1x$I>
  %r = "stablehlo.scatter"(%x, %v, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    stablehlo.return %b : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>} : (tensor<4xi32>, tensor<1x$I>, tensor<2xi32>) -> tensor<4xi32>)",
     "tensor<4xi32>", Scattered},
    {"gather", R"(
  %v = stablehlo.reshape %i : (tensor<$I>) -> tensor<1x$I>
  %r = "stablehlo.gather"(%x, %v) {dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0], index_vector_dim = 0>, slice_sizes = array<i64: 2>} : (tensor<4xi32>, tensor<1x$I>) -> tensor<2xi32>)",
     "tensor<2xi32>", Sliced},
    {"dynamic_slice", R"(
  %r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xi32>, tensor<$I>) -> tensor<2xi32>)",
     "tensor<2xi32>", Sliced},
    {"dynamic_update_slice", R"(
  %r = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xi32>, tensor<2xi32>, tensor<$I>) -> tensor<4xi32>)",
     "tensor<4xi32>", Updated},
    {"torch_index_select", R"(
  %v = stablehlo.reshape %i : (tensor<$I>) -> tensor<1x$I>
  %r = "stablehlo.torch_index_select"(%x, %v) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<4xi32>, tensor<1x$I>) -> tensor<1xi32>)",
     "tensor<1xi32>", Selected},
};

std::string Replaced(absl::string_view text, absl::string_view index_type) {
  std::string replaced;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "$I") {
      absl::StrAppend(&replaced, index_type);
      ++i;
    } else {
      replaced += text[i];
    }
  }
  return replaced;
}

// The index is the function's argument, or a constant of the program.
std::string Program(const Case& c, ir::DType dtype, const std::string& constant) {
  const std::string type(ir::DTypeName(dtype));
  std::string ops = constant.empty() ? ""
                                     : absl::StrCat("  %i = stablehlo.constant dense<", constant,
                                                    "> : tensor<", type, ">\n");
  const std::string index = constant.empty() ? "%i" : "%unused";
  return absl::StrCat("func.func @main(%x: tensor<4xi32>, %u: tensor<2xi32>, ", index, ": tensor<",
                      type, ">) -> ", c.result, " {\n", ops, Replaced(c.ops, type),
                      "\n  return %r : ", c.result, "\n}");
}

ir::Literal Values(const Row& row) {
  return ir::Literal::FromValues<int32_t>({ir::DType::kI32, {static_cast<int64_t>(row.size())}},
                                          row);
}

std::string Decimal(Number value) {
  if (value < 0) return absl::StrCat(static_cast<int64_t>(value));
  return absl::StrCat(static_cast<uint64_t>(value));
}

std::vector<Number> StartsOf(ir::DType dtype) {
  const int bits = ir::BitsOf(dtype);
  const bool is_signed = ir::IsSigned(dtype);
  const Number max = (Number{1} << (is_signed ? bits - 1 : bits)) - 1;
  std::vector<Number> starts = {0, 2, 3, max / 2, max / 2 + 1, max - 1, max};
  if (is_signed) starts.insert(starts.end(), {-1, -2, -max, -max - 1});
  return starts;
}

TEST(FarIndicesTest, UnsignedOnesAreNeverBeforeTheArray) {
  for (const ir::DType dtype :
       {ir::DType::kUI8, ir::DType::kUI16, ir::DType::kUI32, ir::DType::kUI64, ir::DType::kI8,
        ir::DType::kI32, ir::DType::kI64}) {
    for (const Case& c : kCases) {
      for (const Number start : StartsOf(dtype)) {
        const std::string constant = Decimal(start);
        const std::string where =
            absl::StrCat(c.name, " at ", constant, " of ", ir::DTypeName(dtype));
        const auto bits = static_cast<uint64_t>(start);
        std::string index(static_cast<size_t>(ir::StorageBytesOf(dtype)), '\0');
        std::memcpy(index.data(), &bits, index.size());
        const std::vector<ir::Literal> arguments = {Values(kArray), Values(kUpdate),
                                                    *ir::Literal::FromBytes({dtype, {}}, index)};
        for (const bool is_constant : {false, true}) {
          // Each constant is a compile of its own: the ends are enough.
          if (is_constant && start <= 3 && start >= 0) continue;
          const auto module = ir::ParseModule(Program(c, dtype, is_constant ? constant : ""));
          ASSERT_TRUE(module.ok()) << where << ": " << module.status();
          const auto expected = ir::Interpret(*module, "main", arguments);
          ASSERT_TRUE(expected.ok()) << where << ": " << expected.status();
          EXPECT_EQ((*expected)[0], Values(c.expected(start))) << "interpreted " << where;
          const auto compiled = RunOnCpu(*module, arguments, 1);
          ASSERT_TRUE(compiled.ok()) << where << ": " << compiled.status();
          EXPECT_EQ((*compiled)[0], Values(c.expected(start)))
              << "compiled " << where << (is_constant ? ", a constant" : "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace acceld::compiler
