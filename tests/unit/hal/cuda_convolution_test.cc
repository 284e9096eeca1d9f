// Convolutions by kernels of a program, and by cuDNN.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "common/ir/types/element.h"
#include "kernels/cuda/program/program.h"
#include "tests/unit/hal/device_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::HasSubstr;

// A convolution with all that may differ about it; types without their element's.
struct Form {
  const char* what;
  std::string lhs, rhs, out, numbers, window;
  int feature_groups = 1, batch_groups = 1;
};

const Form kForms[] = {
    {"features last", "2x9x8x5", "3x3x5x6", "2x5x4x6", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
     "stride = [2, 2], pad = [[1, 1], [1, 0]]"},
    {"more padding behind", "2x8x8x5", "3x3x5x6", "2x4x4x6",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "stride = [2, 2], pad = [[0, 1], [0, 1]]"},
    {"vectors of features", "2x6x7x8", "3x3x8x12", "2x6x7x12",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]"},
    {"features first", "2x5x9x8", "6x5x3x3", "2x6x9x8", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
     "pad = [[1, 1], [1, 1]]"},
    {"several tiles", "3x12x11x9", "3x3x9x70", "3x12x11x70",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]"},
    {"several tiles, features first", "3x9x12x11", "70x9x3x3", "3x70x12x11",
     "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "pad = [[1, 1], [1, 1]]"},
    {"gradient of an input", "2x9x8x8", "3x3x5x8", "2x9x8x5",
     "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]], reverse = [true, true]"},
    {"gradient of an input, with strides", "2x4x4x6", "3x3x5x6", "2x9x8x5",
     "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
     "pad = [[2, 2], [1, 2]], lhs_dilate = [2, 2], reverse = [true, true]"},
    {"gradient of an input, with strides, symmetric", "2x5x4x6", "3x3x5x6", "2x9x7x5",
     "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
     "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], reverse = [true, true]"},
    {"gradient of a kernel, in parts", "7x16x15x8", "7x16x15x12", "3x3x8x12",
     "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", "pad = [[1, 1], [1, 1]]"},
    {"gradient of a kernel, features first", "7x5x16x12", "7x6x16x12", "6x5x3x3",
     "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]", "pad = [[1, 1], [1, 1]]"},
    {"gradient of a kernel, with strides", "4x9x9x8", "4x4x4x16", "3x3x8x16",
     "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", "pad = [[0, 0], [0, 0]], rhs_dilate = [2, 2]"},
    {"groups of features", "2x6x8x12", "3x3x4x15", "2x4x6x15",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "", 3, 1},
    {"groups of batches", "6x6x8x5", "3x3x5x12", "3x4x6x12",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "", 1, 2},
    {"one dimension", "2x30x8", "4x8x16", "2x27x16", "[b, 0, f]x[0, i, o]->[b, 0, f]", ""},
    {"three dimensions", "2x5x6x7x4", "2x3x2x4x5", "2x4x4x3x5",
     "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]", "stride = [1, 1, 2]"},
    {"no dimensions", "40x70", "70x33", "40x33", "[b, f]x[i, o]->[b, f]", ""},
    {"one cell", "4x8x8x16", "1x1x16x24", "4x4x4x24", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
     "stride = [2, 2]"},
    {"one way reversed", "2x9x10x4", "3x2x4x5", "2x7x9x5",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
     "pad = [[0, 2], [1, 1]], rhs_dilate = [2, 3], reverse = [true, false]"},
    {"less padding than none", "2x9x10x4", "3x2x4x5", "2x5x6x5",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[-1, -1], [-3, 0]]"},
    {"another order of everything", "8x5x9x4", "3x6x3x5", "6x9x4x8",
     "[1, f, 0, b]x[0, o, 1, i]->[f, 0, b, 1]", "pad = [[1, 1], [1, 1]]"},
};

const Form& FormOf(absl::string_view what) {
  return *std::find_if(std::begin(kForms), std::end(kForms),
                       [&](const Form& form) { return form.what == what; });
}

// A form and the types of its elements.
struct Case {
  const Form& form;
  std::string dtype = "f32", out_dtype = dtype;
};

// All of them in one program, which is one to compile.
std::string TextOf(const std::vector<Case>& cases) {
  std::vector<std::string> parameters, types, ops, values;
  for (const Case& one : cases) {
    const Form& form = one.form;
    const std::string lhs = absl::StrCat("tensor<", form.lhs, "x", one.dtype, ">");
    const std::string rhs = absl::StrCat("tensor<", form.rhs, "x", one.dtype, ">");
    types.push_back(absl::StrCat("tensor<", form.out, "x", one.out_dtype, ">"));
    const size_t number = values.size();
    values.push_back(absl::StrCat("%", number));
    parameters.push_back(absl::StrCat("%x", number, ": ", lhs, ", %k", number, ": ", rhs));
    ops.push_back(absl::Substitute(
        R"(
  %$0 = stablehlo.convolution(%x$0, %k$0) dim_numbers = $1, window = {$2}
      {batch_group_count = $3 : i64, feature_group_count = $4 : i64} : ($5, $6) -> $7)",
        number, form.numbers, form.window, form.batch_groups, form.feature_groups, lhs, rhs,
        types.back()));
  }
  return absl::Substitute("func.func @main($0) -> ($1) {$2\n  return $3 : $1\n}",
                          absl::StrJoin(parameters, ", "), absl::StrJoin(types, ", "),
                          absl::StrJoin(ops, ""), absl::StrJoin(values, ", "));
}

// Integers, so that sums are exact in any order.
ir::Literal SmallNumbers(const ir::TensorType& type, int64_t seed) {
  std::string bytes(static_cast<size_t>(type.size_bytes()), '\0');
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    ir::WriteFloat(type.dtype, bytes.data(), i,
                   static_cast<double>((i * 31 + i / 7 * 3 + seed * 17) % 5 - 2));
  }
  return *ir::Literal::FromBytes(type, bytes);
}

class CudaConvolutionTest : public CudaDeviceTest {
 protected:
  // Open, but without the library if `has_cudnn` is false.
  void OpenWith(bool has_cudnn) {
    static const absl::StatusOr<kernels::cuda::Cudnn> missing =
        absl::FailedPreconditionError("no cuDNN");
    hal::cuda::Toolkit toolkit = FakeCuda::toolkit();
    if (!has_cudnn) toolkit.find_cudnn = []() -> const auto& { return missing; };
    Open({}, {}, toolkit);
  }

  kernels::cuda::CudaProgram ProgramOf(const std::string& text) {
    const auto program = kernels::cuda::Deserialize(Compile(text)->code);
    EXPECT_TRUE(program.ok()) << program.status();
    return program.ok() ? *program : kernels::cuda::CudaProgram();
  }

  // Runs it, and compares with what the interpreter says.
  void Check(const std::string& text) {
    SCOPED_TRACE(text);
    std::vector<ir::Literal> arguments;
    const absl::StatusOr<ir::Module> module = ir::ParseModule(text);
    ASSERT_TRUE(module.ok()) << module.status();
    for (const ir::Type& type : (*module->Entry("main"))->ParameterTypes()) {
      arguments.push_back(SmallNumbers(type.tensor(), static_cast<int64_t>(arguments.size())));
    }
    const auto wanted = ir::Interpret(*module, "main", arguments);
    ASSERT_TRUE(wanted.ok()) << wanted.status();
    const auto results = Run(text, arguments);
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(*results, *wanted);
  }
};

// Not counting those that add up parts.
size_t ConvolutionsIn(const kernels::cuda::CudaProgram& program) {
  return static_cast<size_t>(
      std::count_if(program.kernels.begin(), program.kernels.end(), [](const auto& kernel) {
        return absl::StartsWith(kernel.name, "convolve_") && !absl::EndsWith(kernel.name, "_sum");
      }));
}

TEST_F(CudaConvolutionTest, KernelsComputeEveryForm) {
  OpenWith(/*has_cudnn=*/false);
  std::vector<Case> cases;
  for (const Form& form : kForms) cases.push_back({form});
  const std::string text = TextOf(cases);
  EXPECT_EQ(ConvolutionsIn(ProgramOf(text)), std::size(kForms));
  Check(text);
}

TEST_F(CudaConvolutionTest, KernelsComputeEveryFloat) {
  OpenWith(/*has_cudnn=*/false);
  std::vector<Case> cases;
  for (const char* dtype : {"f16", "bf16", "f64"}) {
    for (const char* what : {"vectors of features", "several tiles, features first",
                             "gradient of a kernel, in parts"}) {
      cases.push_back({FormOf(what), dtype});
    }
  }
  cases.push_back({FormOf("vectors of features"), "bf16", "f32"});
  cases.push_back({FormOf("vectors of features"), "f16", "f32"});
  const std::string text = TextOf(cases);
  EXPECT_EQ(ConvolutionsIn(ProgramOf(text)), cases.size());
  Check(text);
}

TEST_F(CudaConvolutionTest, ALongSumIsCutInParts) {
  OpenWith(/*has_cudnn=*/false);
  const auto program = ProgramOf(TextOf({{FormOf("gradient of a kernel, in parts")}}));
  EXPECT_THAT(ToString(program), HasSubstr("convolve_1_sum<<<"));
  EXPECT_EQ(program.steps.size(), 2u);
}

TEST_F(CudaConvolutionTest, EqualConvolutionsHaveOneKernel) {
  OpenWith(/*has_cudnn=*/false);
  const std::string text = R"(
func.func @main(%x: tensor<2x6x6x8xf32>, %k: tensor<3x3x8x8xf32>) -> tensor<2x6x6x8xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x6x6x8xf32>, tensor<3x3x8x8xf32>) -> tensor<2x6x6x8xf32>
  %1 = stablehlo.convolution(%0, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x6x6x8xf32>, tensor<3x3x8x8xf32>) -> tensor<2x6x6x8xf32>
  return %1 : tensor<2x6x6x8xf32>
})";
  Check(text);
  EXPECT_EQ(ConvolutionsIn(ProgramOf(text)), 1u);
}

TEST_F(CudaConvolutionTest, TheLibraryComputesWhatItHasAFunctionFor) {
  OpenWith(/*has_cudnn=*/true);
  const auto expect = [&](absl::string_view function, const std::vector<const char*>& forms) {
    std::vector<Case> cases;
    for (const char* what : forms) cases.push_back({FormOf(what)});
    const std::string text = TextOf(cases);
    cuda_->ForgetCalls();
    Check(text);
    EXPECT_EQ(cuda_->CountOf(function), forms.size());
    EXPECT_EQ(ConvolutionsIn(ProgramOf(text)), 0u);
  };
  expect("cudnnConvolutionForward",
         {"features last", "vectors of features", "features first", "several tiles", "one cell",
          "groups of features", "one dimension", "three dimensions"});
  expect("cudnnConvolutionBackwardData",
         {"gradient of an input", "gradient of an input, with strides, symmetric"});
  expect("cudnnConvolutionBackwardFilter",
         {"gradient of a kernel, in parts", "gradient of a kernel, features first",
          "gradient of a kernel, with strides"});
}

TEST_F(CudaConvolutionTest, TheLibraryComputesEveryFloat) {
  OpenWith(/*has_cudnn=*/true);
  std::vector<Case> cases;
  for (const char* dtype : {"f16", "bf16", "f64"}) {
    cases.push_back({FormOf("vectors of features"), dtype});
  }
  const std::string text = TextOf(cases);
  cuda_->ForgetCalls();
  Check(text);
  EXPECT_EQ(cuda_->CountOf("cudnnConvolutionForward"), 3) << ToString(ProgramOf(text));
}

TEST_F(CudaConvolutionTest, KernelsComputeWhatTheLibraryDoesNot) {
  OpenWith(/*has_cudnn=*/true);
  // Padding that differs or is negative, groups that do not lie together, several types; the
  // library refuses the last.
  const std::string text = TextOf({{FormOf("more padding behind")},
                                   {FormOf("less padding than none")},
                                   {FormOf("groups of batches")},
                                   {FormOf("one way reversed")},
                                   {FormOf("vectors of features"), "bf16", "f32"},
                                   {FormOf("three dimensions"), "f64"}});
  cuda_->ForgetCalls();
  Check(text);
  EXPECT_EQ(cuda_->CountOf("cudnnConvolutionForward"), 0);
  EXPECT_EQ(ConvolutionsIn(ProgramOf(text)), 6u);
}

TEST_F(CudaConvolutionTest, AFilterIsMovedToWhereTheLibraryHasIt) {
  OpenWith(/*has_cudnn=*/true);
  // [0, 1, i, o] is nowhere in cuDNN, [o, i, 0, 1] is.
  EXPECT_THAT(ToString(ProgramOf(TextOf({{FormOf("vectors of features")}}))),
              HasSubstr("repack_1<<<"));
  EXPECT_TRUE(ProgramOf(TextOf({{FormOf("features first")}})).kernels.empty());
}

TEST_F(CudaConvolutionTest, ALoopStaysOnTheDevice) {
  OpenWith(/*has_cudnn=*/true);
  const std::string text = R"(
func.func @main(%x: tensor<2x6x6x8xf32>, %k: tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32> {
  %t = stablehlo.transpose %x, dims = [0, 3, 1, 2] : (tensor<2x6x6x8xf32>) -> tensor<2x8x6x6xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %y = %t) : tensor<i32>, tensor<2x8x6x6xf32>
  cond {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %more = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %c = stablehlo.convolution(%y, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
        window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<2x8x6x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x6x6xf32>
    stablehlo.return %next, %c : tensor<i32>, tensor<2x8x6x6xf32>
  }
  return %r#1 : tensor<2x8x6x6xf32>
})";
  EXPECT_EQ(ConvolutionsIn(ProgramOf(text)), 1u);
  cuda_->ForgetCalls();
  Check(text);
  EXPECT_EQ(cuda_->CountOf("cudnnConvolutionForward"), 0);
  EXPECT_GE(cuda_->CountOf("cuGraphLaunch"), 1);
}

TEST_F(CudaConvolutionTest, TheFastestAlgorithmOfALargeConvolutionStaysWithTheCode) {
#ifdef ACCELD_THREAD_SANITIZER
  GTEST_SKIP() << "one run of the fake library takes longer than all measuring may";
#endif
  OpenWith(/*has_cudnn=*/true);
  const int64_t used_bytes = devices_[0]->memory().used_bytes;
  const Form large = {"large",
                      "2x16x16x64",
                      "3x3x64x64",
                      "2x16x16x64",
                      "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                      "pad = [[1, 1], [1, 1]]"};
  const auto program = ProgramOf(TextOf({{large}}));
  EXPECT_EQ(devices_[0]->memory().used_bytes, used_bytes);
  ASSERT_EQ(program.steps.size(), 2u);
  // The first is slow.
  EXPECT_EQ(std::get<kernels::ConvolutionStep>(program.steps[1].value).algorithm, "0:3");
  EXPECT_THAT(program.measured_on, HasSubstr("cuDNN 9.12.0 on "));
}

TEST_F(CudaConvolutionTest, LargeConvolutionsAreMeasuredOnceAndByOneHandle) {
#ifdef ACCELD_THREAD_SANITIZER
  GTEST_SKIP() << "one run of the fake library takes longer than all measuring may";
#endif
  OpenWith(/*has_cudnn=*/true);
  const char* const numbers = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  const Form one = {"one", "8x16x16x64", "1x1x64x128", "8x16x16x128", numbers, ""};
  const Form other = {"other", "8x16x16x128", "1x1x128x64", "8x16x16x64", numbers, ""};
  ProgramOf(TextOf({{FormOf("vectors of features")}}));  // asks by a handle that stays
  cuda_->ForgetCalls();
  ProgramOf(TextOf({{one}, {other}, {one}}));
  // Twice for each whether the library has it; to measure it, for all algorithms and for each of
  // two.
  EXPECT_LE(cuda_->CountOf("cudnnGetConvolutionForwardAlgorithm_v7"), 3 * 2 + 2 * (1 + 2));
  EXPECT_EQ(cuda_->CountOf("cudnnCreate"), 1);
}

TEST_F(CudaConvolutionTest, WhatWouldTakeLongIsNotMeasured) {
  OpenWith(/*has_cudnn=*/true);
  const Form large = {"large",
                      "8x32x32x2048",
                      "1x1x2048x2048",
                      "8x32x32x2048",
                      "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                      ""};
  cuda_->ForgetCalls();
  const auto program = ProgramOf(TextOf({{large, "f64"}}));
  EXPECT_EQ(cuda_->CountOf("cudnnConvolutionForward"), 0);
  EXPECT_THAT(ToString(program), HasSubstr("convolution f64"));
}

TEST_F(CudaConvolutionTest, ALibraryThatAnswersOnlyLaterHasNoScratch) {
  OpenWith(/*has_cudnn=*/true);
  const std::string text = TextOf({{FormOf("vectors of features")}});
  cuda_->Fail("cudnnGetConvolutionForwardAlgorithm_v7", 4000);
  EXPECT_EQ(ConvolutionsIn(ProgramOf(text)), 1u);
  cuda_->Fail("cudnnGetConvolutionForwardAlgorithm_v7", 4000);
  Check(text);
}

TEST_F(CudaConvolutionTest, SizesThatTheLibraryCannotCountAreNotGivenToIt) {
  OpenWith(/*has_cudnn=*/true);
  // The padded image has more than 2^31 columns.
  const Form wide = {"wide",
                     "1x1x9x8",
                     "1x1x8x8",
                     "1x1x3x8",
                     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                     "stride = [1, 1200000000], pad = [[0, 0], [1200000000, 1200000000]]"};
  const std::string text = TextOf({{wide}});
  EXPECT_EQ(ConvolutionsIn(ProgramOf(text)), 1u);
  Check(text);
}

TEST_F(CudaConvolutionTest, ProgramsThatAreNotWellFormedAreRefused) {
  OpenWith(/*has_cudnn=*/true);
  const auto executable = *Compile(TextOf({{FormOf("features first")}}));
  const auto program = *kernels::cuda::Deserialize(executable.code);
  const auto load = [&](const std::function<void(kernels::ConvolutionStep&)>& change) {
    auto changed = program;
    change(std::get<kernels::ConvolutionStep>(changed.steps[0].value));
    auto wrong = executable;
    wrong.code = *kernels::cuda::Serialize(changed);
    return devices_[0]->Load(wrong).status();
  };
  EXPECT_TRUE(load([](auto&) {}).ok());
  EXPECT_FALSE(load([](auto& step) { step.shape.dims[3].lhs_stride = 5; }).ok());
  EXPECT_FALSE(load([](auto& step) { step.shape.features = 1 << 20; }).ok());
  EXPECT_FALSE(load([](auto& step) { step.shape.dims[2].size = 0; }).ok());
  EXPECT_FALSE(load([](auto& step) { step.shape.dims[1].extent = 1ll << 62; }).ok());
  EXPECT_FALSE(load([](auto& step) { step.rhs.size_bytes -= 64; }).ok());
  EXPECT_FALSE(load([](auto& step) { step.output_dtype = ir::DType::kF64; }).ok());
  EXPECT_FALSE(load([](auto& step) { step.algorithm.assign(17, '1'); }).ok());
  // Another version's, perhaps.
  EXPECT_TRUE(load([](auto& step) { step.algorithm = "6:1"; }).ok());
}

TEST_F(CudaConvolutionTest, AFailureOfTheLibraryIsTheRuns) {
  OpenWith(/*has_cudnn=*/true);
  const std::string text = TextOf({{FormOf("features first")}});
  cuda_->Fail("cudnnConvolutionForward", 4000);
  std::vector<ir::Literal> arguments;
  const auto executable = Compile(text);
  for (const ir::TensorType& type : executable->arguments) {
    arguments.push_back(SmallNumbers(type, 0));
  }
  EXPECT_THAT(std::string(Run(text, arguments).status().message()),
              HasSubstr("cudnnConvolutionForward: cuDNN result 4000"));
  Check(text);
}

}  // namespace
}  // namespace acceld::testing
