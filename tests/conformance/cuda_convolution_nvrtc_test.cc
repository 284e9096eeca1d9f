#include <regex>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "common/ir/text.h"
#include "gtest/gtest.h"
#include "kernels/cuda/emit/convolution.h"
#include "kernels/cuda/emit/device_code.h"
#include "kernels/cuda/nvrtc/nvrtc.h"
#include "kernels/cuda/program/convolutions.h"
#include "server/compiler/plan/steps/convolution.h"

// Convolutions of real networks, compiled for GPUs by NVIDIA's compiler, which needs none.
namespace acceld::testing {
namespace {

struct Form {
  const char *lhs, *rhs, *out, *numbers, *window;
};

// Of a ResNet-50 with a batch of 64: forward, gradients of inputs and of kernels, in both layouts.
// The last one takes so long that it looks whether it is cancelled.
constexpr Form kForms[] = {
    {"64x224x224x3", "7x7x3x64", "64x112x112x64", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
     "stride = [2, 2], pad = [[3, 3], [3, 3]]"},
    {"64x56x56x64", "3x3x64x64", "64x56x56x64", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
     "pad = [[1, 1], [1, 1]]"},
    {"64x14x14x1024", "1x1x1024x256", "64x14x14x256", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
     ""},
    {"64x256x14x14", "256x256x3x3", "64x256x14x14", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
     "pad = [[1, 1], [1, 1]]"},
    {"64x28x28x128", "3x3x128x128", "64x56x56x128", "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
     "pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], reverse = [true, true]"},
    {"64x56x56x64", "64x56x56x64", "3x3x64x64", "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
     "pad = [[1, 1], [1, 1]]"},
    {"64x64x56x56", "64x64x56x56", "64x64x3x3", "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
     "pad = [[1, 1], [1, 1]]"},
    {"8x16x56x56x64", "3x3x3x64x32", "8x16x56x56x32",
     "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]", "pad = [[1, 1], [1, 1], [1, 1]]"},
    {"1x1x4", "16x1x262144", "1x16x262145", "[b, f, 0]x[o, i, 0]->[b, f, 0]",
     "pad = [[262143, 262141]]"},
};

kernels::ConvolutionStep StepOf(const Form& form, const std::string& dtype) {
  const std::string text =
      absl::Substitute(R"(
func.func @main(%x: tensor<$0>, %k: tensor<$1>) -> tensor<$2> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = $3, window = {$4}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<$0>, tensor<$1>) -> tensor<$2>
  return %0 : tensor<$2>
})",
                       absl::StrCat(form.lhs, "x", dtype), absl::StrCat(form.rhs, "x", dtype),
                       absl::StrCat(form.out, "x", dtype), form.numbers, form.window);
  const absl::StatusOr<ir::Module> module = ir::ParseModule(text);
  if (!module.ok()) {
    ADD_FAILURE() << module.status();
    return {};
  }
  const ir::Function& main = **module->Entry("main");
  const ir::Op& op = main.body.ops[0];
  return *compiler::MatchConvolution(main.TensorOf(op.operands[0]), main.TensorOf(op.operands[1]),
                                     main.TensorOf(op.results[0]),
                                     op.As<ir::ConvolutionAttributes>());
}

class CudaConvolutionNvrtc : public ::testing::TestWithParam<int> {};

TEST_P(CudaConvolutionNvrtc, CompilesWithoutSpills) {
  using kernels::cuda::Nvrtc;
  const absl::StatusOr<Nvrtc>& nvrtc = Nvrtc::Get();
  if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.status();
  for (const char* dtype : {"f32", "bf16", "f16", "f64"}) {
    std::string source =
        absl::StrCat(kernels::cuda::ModulePrelude(), kernels::cuda::ConvolutionPrelude());
    int number = 0;
    for (const Form& form : kForms) {
      const kernels::ConvolutionStep step = StepOf(form, dtype);
      ASSERT_TRUE(kernels::cuda::CanPrintConvolution(step));
      for (const kernels::cuda::CudaKernel& kernel :
           kernels::cuda::PrintConvolution(step, absl::StrCat("convolve_", number++))) {
        absl::StrAppend(&source, kernel.source);
      }
    }
    const absl::StatusOr<Nvrtc::Cubin> cubin = nvrtc->Compile(source, dtype, GetParam());
    ASSERT_TRUE(cubin.ok()) << cubin.status();
    static const std::regex kSpills("[1-9][0-9]* bytes spill stores");
    EXPECT_FALSE(std::regex_search(cubin->log, kSpills)) << cubin->log;
  }
}

bool IsLeftToTheLibrary(const Form& form) {
  kernels::ConvolutionStep step = StepOf(form, "f32");
  step.scratch.size_bytes = kernels::cuda::ConvolutionScratchBytes(step, /*uses_library=*/true);
  kernels::cuda::CudaProgram program;
  program.steps.push_back({step, ""});
  std::string source;
  kernels::cuda::LowerConvolutions([](const kernels::ConvolutionStep&) { return true; }, program,
                                   source);
  return program.kernels.empty();
}

TEST(CudaConvolution, TheLibraryGetsNoneThatItWouldTakeHoursFor) {
  EXPECT_TRUE(
      IsLeftToTheLibrary({"64x256x14x14", "256x256x3x3", "64x256x14x14",
                          "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "pad = [[1, 1], [1, 1]]"}));
  EXPECT_FALSE(IsLeftToTheLibrary({"1x1x4x1", "16x1x4194304x1", "1x16x4194305x1",
                                   "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
                                   "pad = [[4194303, 4194301], [0, 0]]"}));
}

INSTANTIATE_TEST_SUITE_P(Architectures, CudaConvolutionNvrtc, ::testing::Values(80, 90, 100));

}  // namespace
}  // namespace acceld::testing
