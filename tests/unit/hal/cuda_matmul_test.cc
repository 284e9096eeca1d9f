#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/types/element.h"
#include "kernels/cuda/cublas/matmul.h"
#include "kernels/cuda/program/program.h"
#include "tests/unit/hal/device_fixture.h"

namespace acceld::testing {
namespace {

using kernels::MatmulStep;
using ::testing::HasSubstr;

// A product with all that may differ about it.
struct Form {
  std::string lhs, rhs, out;       // types
  std::string contracting, batch;  // "[1] x [0]"
};

ir::Literal SmallNumbers(const ir::TensorType& type, int seed) {
  std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const auto value = static_cast<double>((i * 7 + seed) % 5 - 2);
    if (ir::IsComplex(type.dtype)) {
      ir::WriteComplex(type.dtype, bytes.data(), i, {value, 1});
    } else if (!ir::IsFloat(type.dtype)) {
      ir::WriteInt(type.dtype, bytes.data(), i, static_cast<int64_t>(value));
    } else {
      ir::WriteFloat(type.dtype, bytes.data(), i, value);
    }
  }
  return *ir::Literal::FromBytes(type, bytes);
}

class CudaMatmulTest : public CudaDeviceTest {
 protected:
  // Open, but without the library if `has_cublas_lt` is false.
  void OpenWith(bool has_cublas_lt) {
    static const absl::StatusOr<kernels::cuda::CublasLt> missing =
        absl::FailedPreconditionError("no cuBLASLt");
    OpenWithLibrary([=]() -> const absl::StatusOr<kernels::cuda::CublasLt>& {
      return has_cublas_lt ? FakeCuda::toolkit().find_cublas_lt() : missing;
    });
  }
  void OpenWithLibrary(
      std::function<const absl::StatusOr<kernels::cuda::CublasLt>&()> find_cublas_lt) {
    hal::cuda::Toolkit toolkit = FakeCuda::toolkit();
    toolkit.find_cublas_lt = std::move(find_cublas_lt);
    Open({}, {}, toolkit);
  }

  static std::string TextOf(const Form& form) {
    const std::string batch =
        form.batch.empty() ? "" : absl::StrCat("batching_dims = ", form.batch, ", ");
    return absl::Substitute(R"(
func.func @main(%a: tensor<$0>, %b: tensor<$1>) -> tensor<$2> {
  %0 = stablehlo.dot_general %a, %b, $3contracting_dims = $4 : (tensor<$0>, tensor<$1>) -> tensor<$2>
  return %0 : tensor<$2>
})",
                            form.lhs, form.rhs, form.out, batch, form.contracting);
  }

  std::vector<ir::Literal> ArgumentsOf(const Form& form) {
    const auto executable = Compile(TextOf(form));
    std::vector<ir::Literal> arguments;
    for (const ir::TensorType& type : executable->arguments) {
      arguments.push_back(SmallNumbers(type, static_cast<int>(arguments.size())));
    }
    return arguments;
  }
};

TEST_F(CudaMatmulTest, ProductsOfAllFormsAreRight) {
  const Form forms[] = {
      {"3x5xf32", "5x4xf32", "3x4xf32", "[1] x [0]", ""},
      {"5x3xf32", "5x4xf32", "3x4xf32", "[0] x [0]", ""},
      {"3x5xf32", "4x5xf32", "3x4xf32", "[1] x [1]", ""},
      {"5x3xf32", "4x5xf32", "3x4xf32", "[0] x [1]", ""},
      {"2x3x5xf32", "2x5x4xf32", "2x3x4xf32", "[2] x [1]", "[0] x [0]"},
      {"3x2x5xf32", "5x2x4xf32", "2x3x4xf32", "[2] x [0]", "[1] x [1]"},
      {"1x5xf32", "5x4xf32", "1x4xf32", "[1] x [0]", ""},
      {"5xf32", "5x4xf32", "4xf32", "[0] x [0]", ""},
      {"3x1xf32", "1x4xf32", "3x4xf32", "[1] x [0]", ""},
      {"3x5xf64", "5x4xf64", "3x4xf64", "[1] x [0]", ""},
      {"3x5xf16", "5x4xf16", "3x4xf16", "[1] x [0]", ""},
      {"3x5xbf16", "5x4xbf16", "3x4xf32", "[1] x [0]", ""},
      {"3x16xf8E4M3FN", "32x16xf8E4M3FN", "3x32xf32", "[1] x [1]", ""},
      {"3x16xf8E4M3FN", "32x16xf8E4M3FN", "3x32xbf16", "[1] x [1]", ""},
      {"3x17xf8E4M3FN", "32x17xf8E4M3FN", "3x32xf32", "[1] x [1]", ""},
      {"3x16xf8E5M2", "32x16xf8E5M2", "3x32xf32", "[1] x [1]", ""},
      {"3x8xi8", "4x8xi8", "3x4xi32", "[1] x [1]", ""},
      {"2x3x8xi8", "2x4x8xi8", "2x3x4xi32", "[2] x [2]", "[0] x [0]"},
      {"3x7xi8", "4x7xi8", "3x4xi32", "[1] x [1]", ""},
      {"3x8xi8", "8x4xi8", "3x4xi32", "[1] x [0]", ""},
      {"3x5xcomplex<f32>", "5x4xcomplex<f32>", "3x4xcomplex<f32>", "[1] x [0]", ""},
      {"3x5xcomplex<f64>", "4x5xcomplex<f64>", "3x4xcomplex<f64>", "[1] x [1]", ""},
  };
  OpenWith(true);
  for (const Form& form : forms) {
    const std::vector<ir::Literal> arguments = ArgumentsOf(form);
    const auto expected = ir::Interpret(*ir::ParseModule(TextOf(form)), "main", arguments);
    ASSERT_TRUE(expected.ok()) << expected.status();
    const auto result = Run(TextOf(form), arguments);
    ASSERT_TRUE(result.ok()) << form.lhs << result.status();
    EXPECT_TRUE((*result)[0] == (*expected)[0]) << TextOf(form);
  }
}

TEST_F(CudaMatmulTest, ProductsAreStepsBetweenKernels) {
  OpenWith(true);
  EXPECT_THAT(generators_[0]->architecture(), HasSubstr("-cublaslt"));
  const auto executable = Compile(R"(
func.func @main(%n: tensor<i32>, %a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %half = stablehlo.constant dense<0.5> : tensor<8x8xf32>
  %r:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, tensor<8x8xf32>
    cond {
      %c = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %p = stablehlo.dot_general %v, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %w = stablehlo.multiply %p, %half : tensor<8x8xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<8x8xf32>
    }
  return %r#1 : tensor<8x8xf32>
})");
  const auto program = kernels::cuda::Deserialize(executable->code);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_THAT(kernels::cuda::ToString(*program), HasSubstr("matmul f32 1 x [8, 8] [8, 8]"));
  const ir::Literal ones = ir::Literal::Filled(executable->arguments[1], 1);
  auto argument = Put(ones);
  hal::Launch launch = LaunchOf(Load(*executable), *executable, {Put(Scalar(3)), argument});
  const auto result = launch.results[0];
  ASSERT_TRUE(stream_->Run(std::move(launch)).Await().ok());
  EXPECT_TRUE(*Fetch(result, executable->results[0]) ==
              ir::Literal::Filled(executable->results[0], 64));
}

// 1 + 2^-12 and 1, whose product TF32 cannot hold.
std::string ProductWith(absl::string_view precision) {
  return absl::Substitute(R"(
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]$0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})",
                          precision);
}

std::string Algorithm(absl::string_view type, int component_count) {
  return absl::Substitute(
      ", algorithm = <lhs_precision_type = $0, rhs_precision_type = $0, accumulation_type = f32, "
      "lhs_component_count = $1, rhs_component_count = $1, num_primitive_operations = $1, "
      "allow_imprecise_accumulation = false>",
      type, component_count);
}

TEST_F(CudaMatmulTest, F32IsInFullPrecisionUnlessTheAlgorithmAllowsLess) {
  OpenWith(true);
  const ir::TensorType type{ir::DType::kF32, {2, 2}};
  const auto product = [&](absl::string_view precision) {
    const auto result = Run(ProductWith(precision),
                            {ir::Literal::Filled(type, 1 + 0x1p-12), ir::Literal::Filled(type, 1)});
    EXPECT_TRUE(result.ok()) << precision << result.status();
    return result.ok() ? FloatsOf(result->front())[0] : 0;
  };
  for (const char* precision : {"", ", precision = [DEFAULT, DEFAULT]",
                                ", precision = [HIGH, HIGH]", ", precision = [HIGHEST, HIGHEST]"}) {
    EXPECT_EQ(product(precision), 2 + 0x1p-11) << precision;
  }
  EXPECT_EQ(product(Algorithm("tf32", 1)), 2);
  EXPECT_EQ(product(Algorithm("bf16", 1)), 2);
  EXPECT_EQ(product(Algorithm("tf32", 3)), 2 + 0x1p-11);
  EXPECT_EQ(product(Algorithm("bf16", 3)), 2 + 0x1p-11);
  EXPECT_EQ(product(Algorithm("f32", 1)), 2 + 0x1p-11);
}

TEST_F(CudaMatmulTest, ProductsOfBytesRunInTheLibraryWhereItHasThem) {
  OpenWith(true);
  const auto launches = [&](const Form& form) {
    const auto arguments = ArgumentsOf(form);
    cuda_->ForgetCalls();
    EXPECT_TRUE(Run(TextOf(form), arguments).ok());
    return cuda_->CountOf("cuLaunchKernel");
  };
  EXPECT_EQ(launches({"3x8xi8", "4x8xi8", "3x4xi32", "[1] x [1]", ""}), 0);
  EXPECT_EQ(launches({"3x16xf8E4M3FN", "32x16xf8E4M3FN", "3x32xf32", "[1] x [1]", ""}), 0);
  EXPECT_EQ(launches({"3x7xi8", "4x7xi8", "3x4xi32", "[1] x [1]", ""}), 1);
  // A large one is transposed first.
  const Form large{"32x64xi8", "64x32xi8", "32x32xi32", "[1] x [0]", ""};
  EXPECT_EQ(launches(large), 1);
  const auto program = kernels::cuda::Deserialize(Compile(TextOf(large))->code);
  EXPECT_THAT(kernels::cuda::ToString(*program), HasSubstr("matmul i8 1 x [32, 64] [64, 32]"));
}

// @main(%a, %b, %bias, %r) of an 8x4 product, followed by `ops` of %0.
std::string ProductThen(absl::string_view dtype, absl::string_view ops,
                        absl::string_view output_dtype) {
  return absl::Substitute(R"(
func.func @main(%a: tensor<8x16x$0>, %b: tensor<16x4x$0>, %bias: tensor<4x$0>, %r: tensor<8x4x$0>) -> tensor<8x4x$2> {
  %zeros = stablehlo.constant dense<0.0> : tensor<8x4x$0>
  %halves = stablehlo.constant dense<0.5> : tensor<8x4x$0>
  %ones = stablehlo.constant dense<1.0> : tensor<8x4x$0>
  %v = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4x$0>) -> tensor<8x4x$0>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16x$0>, tensor<16x4x$0>) -> tensor<8x4x$0>
  $1
  return %y : tensor<8x4x$2>
})",
                          dtype, ops, output_dtype);
}

std::string OpsOf(absl::string_view dtype, const std::vector<std::string>& ops) {
  std::string text;
  for (const std::string& op : ops) {
    absl::StrAppend(&text, op, " : tensor<8x4x", dtype, ">\n  ");
  }
  return text;
}

std::vector<ir::Literal> ProductArguments(ir::DType dtype) {
  std::vector<ir::Literal> arguments;
  for (const ir::Dims& dims : {ir::Dims{8, 16}, ir::Dims{16, 4}, ir::Dims{4}, ir::Dims{8, 4}}) {
    arguments.push_back(SmallNumbers({dtype, dims}, static_cast<int>(arguments.size())));
  }
  return arguments;
}

TEST_F(CudaMatmulTest, EpiloguesLeaveNoKernels) {
  const std::vector<std::string> chains[] = {
      {"%y = stablehlo.add %0, %v"},
      {"%y = stablehlo.maximum %zeros, %0"},
      {"%1 = stablehlo.add %v, %0", "%y = stablehlo.maximum %1, %zeros"},
      {"%y = stablehlo.multiply %0, %halves"},
      {"%y = stablehlo.add %0, %r"},
      {"%y = stablehlo.subtract %0, %r"},
      {"%1 = stablehlo.multiply %0, %halves", "%2 = stablehlo.multiply %halves, %r",
       "%3 = stablehlo.subtract %1, %2", "%4 = stablehlo.add %3, %v",
       "%y = stablehlo.maximum %4, %zeros"},
  };
  OpenWith(true);
  for (const auto& [dtype, name] :
       {std::pair(ir::DType::kF32, "f32"), std::pair(ir::DType::kF16, "f16"),
        std::pair(ir::DType::kBF16, "bf16")}) {
    for (const std::vector<std::string>& chain : chains) {
      const std::string text = ProductThen(name, OpsOf(name, chain), name);
      const std::vector<ir::Literal> arguments = ProductArguments(dtype);
      const auto expected = ir::Interpret(*ir::ParseModule(text), "main", arguments);
      ASSERT_TRUE(expected.ok()) << expected.status();
      cuda_->ForgetCalls();
      const auto result = Run(text, arguments);
      ASSERT_TRUE(result.ok()) << text << result.status();
      EXPECT_TRUE((*result)[0] == (*expected)[0]) << text;
      EXPECT_EQ(cuda_->CountOf("cuLaunchKernel"), 0) << text;
    }
  }
}

TEST_F(CudaMatmulTest, GeluOfHalvesIsAnEpilogueAndOfF32IsNot) {
  const std::vector<std::string> chain = {
      "%1 = stablehlo.multiply %0, %0",  "%2 = stablehlo.multiply %1, %0",
      "%3 = stablehlo.multiply %2, %c0", "%4 = stablehlo.add %0, %3",
      "%5 = stablehlo.multiply %c1, %4", "%6 = stablehlo.tanh %5",
      "%7 = stablehlo.add %6, %ones",    "%8 = stablehlo.multiply %halves, %7",
      "%y = stablehlo.multiply %0, %8"};
  OpenWith(true);
  for (const auto& [dtype, name] :
       {std::pair(ir::DType::kF32, "f32"), std::pair(ir::DType::kBF16, "bf16")}) {
    const std::string constants = absl::Substitute(
        "%c0 = stablehlo.constant dense<0.044715> : tensor<8x4x$0>\n"
        "  %c1 = stablehlo.constant dense<0.7978845608> : tensor<8x4x$0>\n  ",
        name);
    const std::string text = ProductThen(name, constants + OpsOf(name, chain), name);
    const std::vector<ir::Literal> arguments = ProductArguments(dtype);
    const auto expected = ir::Interpret(*ir::ParseModule(text), "main", arguments);
    ASSERT_TRUE(expected.ok()) << expected.status();
    cuda_->ForgetCalls();
    const auto result = Run(text, arguments);
    ASSERT_TRUE(result.ok()) << result.status();
    const std::string a = (*expected)[0].DenseBytes(), b = (*result)[0].DenseBytes();
    for (int64_t i = 0; i < 32; ++i) {
      const double x = ir::ReadFloat(dtype, a.data(), i);
      EXPECT_NEAR(ir::ReadFloat(dtype, b.data(), i), x, 0.02 * std::max(1.0, std::abs(x)));
    }
    EXPECT_EQ(cuda_->CountOf("cuLaunchKernel"), dtype == ir::DType::kF32 ? 1 : 0);
  }
}

TEST_F(CudaMatmulTest, WhatTheLibraryHasNoWayForOnTheDeviceIsDoneByKernels) {
  OpenWithLibrary([]() -> const absl::StatusOr<kernels::cuda::CublasLt>& {
    static const auto& complete = *FakeCuda::toolkit().find_cublas_lt();
    static const absl::StatusOr<kernels::cuda::CublasLt> without_epilogues = [] {
      kernels::cuda::CublasLt table = complete;
      table.cublasLtMatmulDescSetAttribute = [](kernels::cuda::CublasLt::Operation operation,
                                                int attribute, const void* value, size_t bytes) {
        constexpr int kEpilogue = 7, kNotSupported = 15;
        if (attribute == kEpilogue && *static_cast<const uint32_t*>(value) != 1) {
          return kNotSupported;
        }
        return complete.cublasLtMatmulDescSetAttribute(operation, attribute, value, bytes);
      };
      return table;
    }();
    return without_epilogues;
  });
  const std::string text = ProductThen(
      "f32", OpsOf("f32", {"%1 = stablehlo.add %v, %0", "%y = stablehlo.maximum %1, %zeros"}),
      "f32");
  const std::vector<ir::Literal> arguments = ProductArguments(ir::DType::kF32);
  const auto expected = ir::Interpret(*ir::ParseModule(text), "main", arguments);
  const auto result = Run(text, arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE((*result)[0] == (*expected)[0]);
  EXPECT_EQ(cuda_->CountOf("cuLaunchKernel"), 1);
}

TEST_F(CudaMatmulTest, EveryRunHasItsOwnBias) {
  OpenWith(true);
  const auto executable =
      Compile(ProductThen("f32", OpsOf("f32", {"%y = stablehlo.add %0, %v"}), "f32"));
  const auto module = Load(*executable);
  const auto zeros = [&](size_t i) { return Put(ir::Literal::Zeros(executable->arguments[i])); };
  std::vector<hal::Launch> launches;
  for (const double bias : {1, 2}) {
    launches.push_back(LaunchOf(
        module, *executable,
        {zeros(0), zeros(1), Put(ir::Literal::Filled(executable->arguments[2], bias)), zeros(3)}));
  }
  const std::vector<std::shared_ptr<hal::Buffer>> results = {launches[0].results[0],
                                                             launches[1].results[0]};
  cuda_->Pause();
  auto first = stream_->Run(std::move(launches[0]));
  auto second = stream_->Run(std::move(launches[1]));
  cuda_->Resume();
  ASSERT_TRUE(first.Await().ok());
  ASSERT_TRUE(second.Await().ok());
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(FloatsOf(*Fetch(results[i], executable->results[0]))[5], static_cast<float>(i + 1));
  }
}

// What the fake library is slow at by its first algorithm.
const Form kLargeProduct{"256x256xf32", "256x256xf32", "256x256xf32", "[1] x [0]", ""};

const MatmulStep& ProductOf(const kernels::cuda::CudaProgram& program) {
  return std::get<MatmulStep>(program.steps[0].value);
}

// The fake library's number of an algorithm.
uint64_t NumberOf(const std::string& algorithm) {
  uint64_t number = 0;
  std::memcpy(&number, algorithm.data(), sizeof(number));
  return number;
}

TEST_F(CudaMatmulTest, TheFastestAlgorithmOfALargeProductStaysWithTheCode) {
#ifdef ACCELD_THREAD_SANITIZER
  GTEST_SKIP() << "one run of the fake library takes about as long as all measuring may";
#endif
  OpenWith(true);
  const int64_t used_bytes = devices_[0]->memory().used_bytes;
  const auto executable = Compile(TextOf(kLargeProduct));
  EXPECT_EQ(devices_[0]->memory().used_bytes, used_bytes);
  const auto program = kernels::cuda::Deserialize(executable->code);
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(ProductOf(*program).algorithm.size(), 64u);
  EXPECT_GT(NumberOf(ProductOf(*program).algorithm), 42u);
  EXPECT_THAT(program->measured_on, HasSubstr("cuBLASLt 13.1.0, "));
  // Nothing is measured when it is loaded and run.
  cuda_->ForgetCalls();
  const auto module = Load(*executable);
  EXPECT_EQ(cuda_->CountOf("cuEventElapsedTime"), 0);
  EXPECT_EQ(cuda_->CountOf("FakeCudaEnqueue"), 0);
  const ir::Literal ones = ir::Literal::Filled(executable->arguments[0], 1);
  hal::Launch launch = LaunchOf(module, *executable, {Put(ones), Put(ones)});
  const auto result = launch.results[0];
  ASSERT_TRUE(stream_->Run(std::move(launch)).Await().ok());
  EXPECT_TRUE(*Fetch(result, executable->results[0]) ==
              ir::Literal::Filled(executable->results[0], 256));
}

TEST_F(CudaMatmulTest, AlgorithmsMeasuredElsewhereAreNotUsed) {
  OpenWith(true);
  auto executable = *Compile(TextOf(kLargeProduct));
  auto program = *kernels::cuda::Deserialize(executable.code);
  // Of another place, where these bytes may mean anything; and of this one, where they mean
  // nothing.
  for (const std::string& place : {std::string("elsewhere"), program.measured_on}) {
    program.measured_on = place;
    std::get<MatmulStep>(program.steps[0].value).algorithm.assign(64, '\x55');
    executable.code = *kernels::cuda::Serialize(program);
    const ir::Literal ones = ir::Literal::Filled(executable.arguments[0], 1);
    hal::Launch launch = LaunchOf(Load(executable), executable, {Put(ones), Put(ones)});
    const auto result = launch.results[0];
    ASSERT_TRUE(stream_->Run(std::move(launch)).Await().ok());
    EXPECT_TRUE(*Fetch(result, executable.results[0]) ==
                ir::Literal::Filled(executable.results[0], 256));
  }
}

TEST_F(CudaMatmulTest, SmallProductsAndFullDevicesAreNotMeasured) {
  OpenWith(true);
  cuda_->ForgetCalls();
  Compile(TextOf({"64x64xf32", "64x64xf32", "64x64xf32", "[1] x [0]", ""}));
  EXPECT_EQ(cuda_->CountOf("cuEventElapsedTime"), 0);
  const hal::MemoryStats stats = devices_[0]->memory();
  const auto others = Allocate((stats.limit_bytes - stats.used_bytes) / 16 * 15);
  const auto executable = Compile(TextOf(kLargeProduct));
  EXPECT_EQ(cuda_->CountOf("cuEventElapsedTime"), 0);
  EXPECT_EQ(ProductOf(*kernels::cuda::Deserialize(executable->code)).algorithm, "");
}

TEST_F(CudaMatmulTest, WhatCannotBeMeasuredIsLeftToTheLibrary) {
  OpenWith(true);
  cuda_->Fail("cuStreamCreateWithPriority", 1);
  const auto executable = Compile(TextOf(kLargeProduct));
  EXPECT_EQ(ProductOf(*kernels::cuda::Deserialize(executable->code)).algorithm, "");
  Load(*executable);
}

TEST_F(CudaMatmulTest, ConstantsThatAreOperandsAndPartOfTheEpilogueServeAsBoth) {
  OpenWith(true);
  const ir::Literal x = Vector({1, -2, 3, 4, -5, 6, 7, 8, -9, 10, 11, 12, 13, -14, 15, 16});
  for (const absl::string_view rest : {"%r = stablehlo.multiply %d, %c : tensor<4x4xf32>",
                                       "%r = stablehlo.maximum %d, %z : tensor<4x4xf32>",
                                       "%s = stablehlo.multiply %c, %m : tensor<4x4xf32>\n"
                                       "%r = stablehlo.add %d, %s : tensor<4x4xf32>"}) {
    for (const absl::string_view operand : {"%c", "%z"}) {
      const std::string text = absl::StrCat(
          R"(
func.func @main(%x: tensor<16xf32>) -> tensor<4x4xf32> {
  %c = stablehlo.constant dense<0.5> : tensor<4x4xf32>
  %z = stablehlo.constant dense<0.0> : tensor<4x4xf32>
  %m = stablehlo.reshape %x : (tensor<16xf32>) -> tensor<4x4xf32>
  %d = stablehlo.dot_general )",
          operand,
          R"(, %m, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  )",
          rest, "\n  return %r : tensor<4x4xf32>\n}");
      const auto expected = ir::Interpret(*ir::ParseModule(text), "main", {x});
      const auto results = Run(text, {x});
      ASSERT_TRUE(results.ok()) << results.status() << text;
      EXPECT_EQ(FloatsOf(results->front()), FloatsOf(expected->front())) << text;
    }
  }
}

TEST_F(CudaMatmulTest, ScalesThatFloatsDoNotHoldAreNotOneScale) {
  OpenWith(true);
  constexpr char kText[] = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<1x1xf32> {
  %tiny = stablehlo.constant dense<1.0e-30> : tensor<1x1xf32>
  %a = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
  %b = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<4x1xf32>
  %d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
  %0 = stablehlo.multiply %d, %tiny : tensor<1x1xf32>
  %1 = stablehlo.multiply %0, %tiny : tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
})";
  const auto results = Run(kText, {Vector({1e18f, 1e18f, 1e18f, 1e18f})});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_NEAR(FloatsOf(results->front())[0], 4e-24f, 1e-29f);
}

TEST_F(CudaMatmulTest, WithoutTheLibraryProductsAreKernels) {
  OpenWith(false);
  const Form form{"3x5xf32", "5x4xf32", "3x4xf32", "[1] x [0]", ""};
  const std::vector<ir::Literal> arguments = ArgumentsOf(form);
  const auto expected = ir::Interpret(*ir::ParseModule(TextOf(form)), "main", arguments);
  EXPECT_TRUE(Run(TextOf(form), arguments)->front() == expected->front());
  EXPECT_GT(cuda_->CountOf("cuLaunchKernel"), 0);
}

TEST_F(CudaMatmulTest, ALibraryThatDoesNotWorkOnTheDeviceIsGoneWithout) {
  cuda_ = std::make_unique<FakeCuda>();
  cuda_->Fail("cublasLtCreate", 1);  // NOT_INITIALIZED
  Reopen();
  const Form form{"3x5xf32", "5x4xf32", "3x4xf32", "[1] x [0]", ""};
  const std::vector<ir::Literal> arguments = ArgumentsOf(form);
  const auto expected = ir::Interpret(*ir::ParseModule(TextOf(form)), "main", arguments);
  EXPECT_TRUE(Run(TextOf(form), arguments)->front() == expected->front());
  EXPECT_GT(cuda_->CountOf("cuLaunchKernel"), 0);
}

TEST_F(CudaMatmulTest, CodeForTheLibraryDoesNotLoadWithoutIt) {
  OpenWith(true);
  const auto executable = Compile(TextOf({"3x5xf32", "5x4xf32", "3x4xf32", "[1] x [0]", ""}));
  OpenWith(false);
  EXPECT_EQ(devices_[0]->Load(*executable).status().code(), absl::StatusCode::kFailedPrecondition);
}

const MatmulStep kProduct{.input_dtype = ir::DType::kF32,
                          .output_dtype = ir::DType::kF32,
                          .batch = 2,
                          .m = 3,
                          .n = 4,
                          .k = 5,
                          .lhs_strides = {15, 5, 1},
                          .rhs_strides = {20, 4, 1}};

TEST(CudaCanMatmulTest, OnlyWhatTheLibraryTakes) {
  const auto with = [](auto change) {
    MatmulStep matmul = kProduct;
    change(matmul);
    return kernels::cuda::CanMatmul(matmul);
  };
  EXPECT_TRUE(kernels::cuda::CanMatmul(kProduct));
  EXPECT_TRUE(with([](MatmulStep& m) { m.rhs_strides[0] = 0; }));
  EXPECT_TRUE(with([](MatmulStep& m) { m.allow_tf32 = true; }));
  EXPECT_FALSE(with([](MatmulStep& m) {
    m.input_dtype = m.output_dtype = ir::DType::kBF16;
    m.allow_tf32 = true;
  }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.input_dtype = ir::DType::kI32; }));
  const auto bytes = [](MatmulStep& m) {
    m = {.input_dtype = ir::DType::kI8,
         .output_dtype = ir::DType::kI32,
         .batch = 1,
         .m = 3,
         .n = 4,
         .k = 8,
         .lhs_strides = {24, 8, 1},
         .rhs_strides = {32, 1, 8}};
  };
  EXPECT_TRUE(with(bytes));
  EXPECT_FALSE(with([&](MatmulStep& m) {
    bytes(m);
    m.n = 5;
  }));
  EXPECT_FALSE(with([&](MatmulStep& m) {
    bytes(m);
    m.epilogue.beta = 1;
  }));
  EXPECT_FALSE(with([&](MatmulStep& m) {
    bytes(m);
    m.rhs_strides[1] = 4;
    m.rhs_strides[2] = 1;
  }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.output_dtype = ir::DType::kF64; }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.k = 0; }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.batch = 100'000; }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.m = int64_t{1} << 31; }));
  using Activation = kernels::MatmulEpilogue::Activation;
  const auto in = [](MatmulStep& m, ir::DType dtype) { m.input_dtype = m.output_dtype = dtype; };
  EXPECT_TRUE(with([](MatmulStep& m) { m.epilogue.has_bias = true; }));
  EXPECT_TRUE(with([](MatmulStep& m) { m.epilogue.activation = Activation::kRelu; }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.epilogue.activation = Activation::kGelu; }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.epilogue.alpha = 1e300; }));
  EXPECT_TRUE(with([&](MatmulStep& m) {
    in(m, ir::DType::kF16);
    m.epilogue.activation = Activation::kGelu;
  }));
  EXPECT_TRUE(with([&](MatmulStep& m) {
    in(m, ir::DType::kF64);
    m.epilogue.beta = 2;
  }));
  EXPECT_FALSE(with([&](MatmulStep& m) {
    in(m, ir::DType::kF64);
    m.epilogue.has_bias = true;
  }));
  EXPECT_FALSE(with([&](MatmulStep& m) {
    in(m, ir::DType::kC64);
    m.epilogue.alpha = 2;
  }));
  // Neither stride is one, rows overlap, or an item goes backwards.
  EXPECT_FALSE(with([](MatmulStep& m) { m.lhs_strides[2] = 2; }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.lhs_strides[1] = 4; }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.lhs_strides[1] = 0; }));
  EXPECT_FALSE(with([](MatmulStep& m) { m.lhs_strides[0] = -15; }));
}

}  // namespace
}  // namespace acceld::testing
