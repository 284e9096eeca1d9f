// Reducers and sorts that pick a few of many elements, in blocks: most blocks are passed over.
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/random/cpu_runner.h"

namespace acceld::compiler {
namespace {

using ir::DType;

// Rows differ in where something better than before stands, and how often.
constexpr int64_t kRows = 5;

double ValueAt(int64_t row, int64_t i) {
  switch (row) {
    case 0:  // ascending
      return static_cast<double>(i);
    case 1:  // descending
      return static_cast<double>(-i);
    case 2:  // all the same
      return 3;
    case 3:  // now and then no number
      if (i % 71 == 70) return std::numeric_limits<double>::quiet_NaN();
      break;
    default:
      break;
  }
  return static_cast<double>((i + row) * 7919 % 101 - 50);
}

ir::Literal Rows(DType dtype, int64_t length) {
  const ir::TensorType type{dtype, {kRows, length}};
  std::string bytes(type.size_bytes(), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const double value = ValueAt(i / length, i % length);
    if (ir::IsFloat(dtype)) {
      ir::WriteFloat(dtype, bytes.data(), i, value);
    } else {
      ir::WriteInt(dtype, bytes.data(), i, std::isnan(value) ? 0 : static_cast<int64_t>(value));
    }
  }
  return ir::Literal::FromBytes(type, std::move(bytes)).value();
}

void ExpectAgreement(const std::string& text, const ir::Literal& argument) {
  const auto module = ir::ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status() << text;
  const auto expected = ir::Interpret(*module, "main", {argument});
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (const int threads : {1, 2}) {
    const auto actual = RunOnCpu(*module, {argument}, threads);
    ASSERT_TRUE(actual.ok()) << actual.status();
    ASSERT_EQ(actual->size(), expected->size());
    for (size_t i = 0; i < expected->size(); ++i) {
      EXPECT_EQ((*actual)[i].DenseBytes(), (*expected)[i].DenseBytes()) << "result " << i;
    }
  }
}

// Runs the program for rows of several lengths and types. In it, $N is the length, $T the
// type.
void ExpectAgreementOnRows(absl::string_view program) {
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kI32}) {
    for (const int64_t length : {127, 128, 129, 300, 2200}) {
      const std::string text = absl::StrReplaceAll(
          program, {{"$N", absl::StrCat(length)}, {"$T", ir::DTypeName(dtype)}});
      SCOPED_TRACE(absl::StrCat(ir::DTypeName(dtype), ", ", length));
      ExpectAgreement(text, Rows(dtype, length));
    }
  }
}

// As JAX writes argmax: NaN is above all, and the first of equals wins.
TEST(Selections, ArgmaxIsThatOfEachElementInTurn) {
  ExpectAgreementOnRows(R"(
func.func @main(%x: tensor<5x$Nx$T>) -> (tensor<5x$T>, tensor<5xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<5x$Nxi32>
  %a = stablehlo.constant dense<-100> : tensor<i32>
  %worst = stablehlo.convert %a : (tensor<i32>) -> tensor<$T>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %worst, %none) <{dimensions = array<i64: 1>}> ({
  ^bb0(%v: tensor<$T>, %k: tensor<i32>, %w: tensor<$T>, %l: tensor<i32>):
    %greater = stablehlo.compare GT, %v, %w : (tensor<$T>, tensor<$T>) -> tensor<i1>
    %nan = stablehlo.compare NE, %v, %v : (tensor<$T>, tensor<$T>) -> tensor<i1>
    %better = stablehlo.or %greater, %nan : tensor<i1>
    %equal = stablehlo.compare EQ, %v, %w : (tensor<$T>, tensor<$T>) -> tensor<i1>
    %first = stablehlo.compare LT, %k, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = stablehlo.and %equal, %first : tensor<i1>
    %takes = stablehlo.or %better, %both : tensor<i1>
    %r = stablehlo.select %better, %v, %w : tensor<i1>, tensor<$T>
    %s = stablehlo.select %takes, %k, %l : tensor<i1>, tensor<i32>
    stablehlo.return %r, %s : tensor<$T>, tensor<i32>
  }) : (tensor<5x$Nx$T>, tensor<5x$Nxi32>, tensor<$T>, tensor<i32>) -> (tensor<5x$T>, tensor<5xi32>)
  return %0#0, %0#1 : tensor<5x$T>, tensor<5xi32>
})");
}

// Neither associative nor commutative: whatever is decided depends on what came just before.
TEST(Selections, ReducersThatPickTakeElementsInOrder) {
  ExpectAgreementOnRows(R"(
func.func @main(%x: tensor<5x$Nx$T>) -> (tensor<5x$T>, tensor<5x$T>) {
  %a = stablehlo.constant dense<7> : tensor<i32>
  %start = stablehlo.convert %a : (tensor<i32>) -> tensor<$T>
  %0:2 = "stablehlo.reduce"(%x, %x, %start, %start) <{dimensions = array<i64: 1>}> ({
  ^bb0(%last: tensor<$T>, %least: tensor<$T>, %v: tensor<$T>, %w: tensor<$T>):
    %smaller = stablehlo.compare LT, %v, %least : (tensor<$T>, tensor<$T>) -> tensor<i1>
    %larger = stablehlo.compare GE, %v, %last : (tensor<$T>, tensor<$T>) -> tensor<i1>
    %takes = stablehlo.or %smaller, %larger : tensor<i1>
    %r = stablehlo.select %takes, %v, %last : tensor<i1>, tensor<$T>
    %s = stablehlo.select %smaller, %w, %least : tensor<i1>, tensor<$T>
    stablehlo.return %r, %s : tensor<$T>, tensor<$T>
  }) : (tensor<5x$Nx$T>, tensor<5x$Nx$T>, tensor<$T>, tensor<$T>) -> (tensor<5x$T>, tensor<5x$T>)
  return %0#0, %0#1 : tensor<5x$T>, tensor<5x$T>
})");
}

TEST(Selections, TheFirstFewAreThoseOfTheWholeSort) {
  for (const int k : {1, 3, 5, 30, 49, 120}) {
    ExpectAgreementOnRows(absl::StrReplaceAll(R"(
func.func @main(%x: tensor<5x$Nx$T>) -> (tensor<5x$Kx$T>, tensor<5x$Kxi32>) {
  %0:2 = chlo.top_k(%x, k = $K) : tensor<5x$Nx$T> -> (tensor<5x$Kx$T>, tensor<5x$Kxi32>)
  return %0#0, %0#1 : tensor<5x$Kx$T>, tensor<5x$Kxi32>
})",
                                              {{"$K", absl::StrCat(k)}}));
  }
}

// A comparator that is no order, as for NaN: what comes first is anybody's guess, but nothing is
// lost or there twice.
TEST(Selections, TakeNoElementTwiceWhateverTheComparatorSays) {
  const auto module = ir::ParseModule(R"(
func.func @main(%x: tensor<5x300xf32>) -> (tensor<5x30xf32>, tensor<5x30xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<5x300xi32>
  %sorted:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %k: tensor<i32>, %l: tensor<i32>):
    %before = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %before : tensor<i1>
  }) : (tensor<5x300xf32>, tensor<5x300xi32>) -> (tensor<5x300xf32>, tensor<5x300xi32>)
  %0 = stablehlo.slice %sorted#0 [0:5, 0:30] : (tensor<5x300xf32>) -> tensor<5x30xf32>
  %1 = stablehlo.slice %sorted#1 [0:5, 0:30] : (tensor<5x300xi32>) -> tensor<5x30xi32>
  return %0, %1 : tensor<5x30xf32>, tensor<5x30xi32>
})");
  ASSERT_TRUE(module.ok()) << module.status();
  ir::Literal rows = Rows(DType::kF32, 300);
  std::string bytes(rows.DenseBytes());
  for (int64_t i = 0; i < kRows * 300; i += 3) {
    ir::WriteFloat(DType::kF32, bytes.data(), i, std::numeric_limits<double>::quiet_NaN());
  }
  const auto argument = ir::Literal::FromBytes(rows.type(), bytes);
  ASSERT_TRUE(argument.ok()) << argument.status();
  const auto found = RunOnCpu(*module, {*argument}, 1);
  ASSERT_TRUE(found.ok()) << found.status();
  const std::string values((*found)[0].DenseBytes()), indices((*found)[1].DenseBytes());
  for (int64_t row = 0; row < kRows; ++row) {
    std::set<int32_t> taken;
    for (int64_t k = 0; k < 30; ++k) {
      int32_t index = -1;
      std::memcpy(&index, indices.data() + 4 * (row * 30 + k), 4);
      ASSERT_TRUE(index >= 0 && index < 300) << index;
      EXPECT_TRUE(taken.insert(index).second) << "row " << row << ", element " << index;
      EXPECT_EQ(std::memcmp(values.data() + 4 * (row * 30 + k),
                            bytes.data() + 4 * (row * 300 + index), 4),
                0);
    }
  }
}

}  // namespace
}  // namespace acceld::compiler
