// What wrong calls of operations say.

#include <string>
#include <vector>

#include "client/tracing/ops/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client/tracing/tracing_test_util.h"

namespace acceld::client {
namespace {

using ir::DType;
using ir::TensorType;

const TensorType kVector{DType::kF32, {3}}, kMatrix{DType::kF32, {2, 3}},
    kIntegers{DType::kI32, {3}}, kScalar{DType::kF32, {}};

template <typename F>
std::string Of(const F& f, const TensorType& type = kVector) {
  return ErrorOf(f, {type});
}
template <typename F>
std::string Of2(const F& f, const TensorType& a, const TensorType& b) {
  return ErrorOf(f, {a, b});
}

#define X(expression) [](const Tensor& x) { return expression; }
#define XY(expression) [](const Tensor& x, const Tensor& y) { return expression; }

TEST(ErrorsTest, Elementwise) {
  EXPECT_EQ(Of2(XY(x + y), kVector, {DType::kF32, {4}}),
            "f: stablehlo.add: shapes [3] and [4] do not combine");
  EXPECT_EQ(Of2(XY(x * y), kVector, kIntegers),
            "f: stablehlo.multiply: operands are f32 and i32; use Convert");
  EXPECT_EQ(Of(X(x + 1.5), kIntegers), "f: the number 1.5 does not fit tensor<3xi32>");
  EXPECT_EQ(Of(X(Where(x, x, x))),
            "f: Where: the condition is tensor<3xf32>; expected elements of type i1");
  EXPECT_EQ(Of2(XY(Where(x > 0, x, y)), kVector, kIntegers),
            "f: Where: the values are f32 and i32; use Convert");
  EXPECT_EQ(Of(X(All(x))), "f: All: the operand is tensor<3xf32>; expected elements of type i1");
}

TEST(ErrorsTest, Shapes) {
  EXPECT_EQ(Of(X(Sum(x, {1}))), "f: Sum: axis 1 of a tensor with 1 dimensions");
  EXPECT_EQ(Of(X(Sum(x, {0, -2})), kMatrix), "f: Sum: axis -2 is named twice");
  EXPECT_EQ(Of(X(BroadcastTo(x, {2}))), "f: BroadcastTo: [3] does not stretch to [2]");
  EXPECT_EQ(Of(X(Reshape(x, {2, -1}))), "f: Reshape: [3] has no shape [2,-1]");
  EXPECT_EQ(Of(X(Transpose(x, {0, 0})), kMatrix), "f: Transpose: axis 0 is named twice");
  EXPECT_EQ(Of(X(Squeeze(x, {0}))), "f: Squeeze: axis 0 of [3] is not 1");
  EXPECT_EQ(Of(X(ExpandDims(x, 3))), "f: ExpandDims: axis 3 of a tensor with 2 dimensions");
  EXPECT_EQ(Of(X(Tile(x, {-1}))), "f: Tile: -1 repetitions");
  EXPECT_EQ(Of(X(Pad(x, {}))), "f: Pad: there are 0 pairs of widths for [3]");
  EXPECT_EQ(Of(X(Pad(x, {{-1, 0}}))), "f: Pad: a width is -1");
  EXPECT_EQ(Of(X(Pad(x, {{3, 0}}, 0, PadMode::kReflect))),
            "f: Pad: a width of 3 along axis 0 of [3]; this mode has at most 2");
  EXPECT_EQ(Of(X((Concatenate(std::vector<Tensor>(), 0), x))),
            "f: Concatenate: there are no tensors");
  EXPECT_EQ(Of2(XY(Stack({x, y})), kVector, kMatrix),
            "f: Stack: tensor 0 is [3], and tensor 1 [2,3]");
  EXPECT_EQ(Of(X(client::Split(x, 2))), "f: Split: axis 0 of [3] has no 2 equal parts");
  EXPECT_EQ(Of(X(Tril(x))), "f: Tril: tensor<3xf32> is no matrix");
  EXPECT_EQ(Of(X(Diag(x)), kMatrix), "f: Diag: tensor<2x3xf32> is no vector");
  EXPECT_EQ(Of(X((Linspace(0, 1, 3, DType::kI32), x))),
            "f: Linspace: 3 elements of type i32; expected floats, and no negative number");
}

TEST(ErrorsTest, Contractions) {
  EXPECT_EQ(Of2(XY(MatMul(x, y)), kVector, kScalar),
            "f: MatMul: operands are tensor<3xf32> and tensor<f32>; expected at least rank 1");
  EXPECT_EQ(Of2(XY(MatMul(x, y)), kMatrix, kMatrix),
            "f: MatMul: the rows of [2,3] and the columns of [2,3] have different sizes");
  EXPECT_EQ(Of2(XY(Tensordot(x, y)), kVector, kVector), "f: Tensordot: 2 axes of [3] and [3]");
  EXPECT_THAT(Of2(XY(Einsum("ij,jk", {x, y})), kMatrix, kMatrix),
              ::testing::HasSubstr("expected one '->'"));
}

TEST(ErrorsTest, Indices) {
  EXPECT_EQ(Of(X(At(x, {3}))), "f: At: index 3 is out of range for axis 0 of [3]");
  EXPECT_EQ(Of(X(At(x, {0, 0}))), "f: At: an index of 2 dimensions and 0 ellipses for [3]");
  EXPECT_EQ(Of(X(At(x, {Range{.step = 0}}))), "f: At: the step of a range is 0");
  EXPECT_EQ(Of(X(At(x, {x}))), "f: At: an index is tensor<3xf32>; expected integers");
  EXPECT_EQ(Of(X(At(x, {x > 0}))),
            "f: At: an index is tensor<3xi1>; the number of elements would not be known: use "
            "Where");
  EXPECT_EQ(Of2(XY(SetAt(x, {0}, y)), kVector, kIntegers),
            "f: SetAt: the value is tensor<3xi32>, and the tensor tensor<3xf32>; use Convert");
  EXPECT_EQ(Of2(XY(TakeAlongAxis(x, y, 0)), kVector, kMatrix),
            "f: TakeAlongAxis: the indices are tensor<2x3xf32>, and the tensor tensor<3xf32>; "
            "expected integers, and equal sizes along other axes");
  EXPECT_EQ(Of2(XY(SegmentSum(x, y, 2)), kVector, {DType::kI32, {4}}),
            "f: SegmentSum: the data is tensor<3xf32>, and there are segments tensor<4xi32> below "
            "2");
  EXPECT_EQ(Of(X(TopK(x, 4))), "f: TopK: k is 4 for [3]");
}

TEST(ErrorsTest, Statistics) {
  EXPECT_EQ(Of(X(Quantile(x, 1.5))), "f: Quantile: q is 1.5; expected 0 to 1");
  EXPECT_EQ(Of(X(Median(x)), kIntegers),
            "f: Quantile: the operand is tensor<3xi32>; expected floats");
  EXPECT_EQ(Of2(XY(Average(x, y)), kMatrix, kVector),
            "f: Average: the weights are [3] for [2,3]; expected the same shape, or a vector along "
            "the only axis");
  EXPECT_EQ(Of(X(Cov(x))), "f: Cov: the operand has the shape [3]; expected a matrix");
  EXPECT_EQ(Of(X(Histogram(x, 0, 0, 1))),
            "f: Histogram: 0 parts from 0 to 1; expected at least one part of numbers in ascending "
            "order");
  EXPECT_EQ(Of(X(Bincount(x, 3))),
            "f: Bincount: the operand is tensor<3xf32> and the length 3; expected integers, and at "
            "least 0");
  EXPECT_EQ(Of2(XY(Interp(x, y, x)), kVector, kMatrix),
            "f: Interp: the points are tensor<2x3xf32> and tensor<3xf32>; expected vectors of "
            "floats of one type");
  EXPECT_EQ(Of2(XY(Convolve(x, y)), kVector, kMatrix),
            "f: Convolve: the operands have the shapes [3] and [2,3]; expected vectors");
  EXPECT_EQ(Of2(XY(Meshgrid({x, y})), kVector, kMatrix),
            "f: Meshgrid: operand 1 has the shape [2,3]; expected a vector");
}

TEST(ErrorsTest, Networks) {
  EXPECT_EQ(Of(X(nn::OneHot(x, 3))), "f: OneHot: indices are tensor<3xf32>; expected integers");
  EXPECT_EQ(Of2(XY(nn::SoftmaxCrossEntropy(x, y)), kVector, kIntegers),
            "f: SoftmaxCrossEntropy: the labels are tensor<3xi32>, and the logits tensor<3xf32>");
  EXPECT_EQ(Of2(XY(nn::Convolution(x, y)), kVector, kVector),
            "f: Convolution: x is tensor<3xf32>, and the kernel tensor<3xf32>");
  EXPECT_EQ(Of(X(nn::MaxPool(x, {2}))), "f: MaxPool: tensor<3xf32>; expected [N, ..., C]");
  EXPECT_EQ(Of(X(nn::MaxPool(x, {0})), {DType::kF32, {1, 4, 1}}),
            "f: MaxPool: the windows are [0]; expected 1 positive numbers");
  EXPECT_EQ(Of(X(nn::DotProductAttention(x, x, x))),
            "f: DotProductAttention: expected [B, T, N, H] and twice [B, S, K, H]: the query is "
            "[3], the key [3], the value [3]");
}

TEST(ErrorsTest, RandomNumbers) {
  EXPECT_EQ(Of(X(random::Normal(x, {2}))),
            "f: Normal: the key is tensor<3xf32>; expected tensor<2xui32>, as Key and Split give "
            "it");
  const TensorType key{DType::kUI32, {2}};
  EXPECT_EQ(Of(X(random::Normal(x, {2}, DType::kI32)), key),
            "f: Normal: the element type is i32; expected f64, f32, f16 or bf16");
  EXPECT_EQ(Of(X(random::Bits(x, {2}, DType::kI32)), key),
            "f: Bits: the element type is i32; expected ui8, ui16, ui32 or ui64");
  EXPECT_EQ(Of(X(random::Choice(x, 3, 4, false)), key),
            "f: Choice: 4 of 3 numbers cannot be chosen, each at most once");
  EXPECT_EQ(Of(X(random::Key(x))),
            "f: Key: the seed is tensor<3xf32>; expected a scalar of integers");
}

}  // namespace
}  // namespace acceld::client
