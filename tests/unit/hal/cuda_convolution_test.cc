// Convolutions as kernels of a program, run on the host as a GPU would run them.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/substitute.h"
#include "common/ir/element.h"
#include "common/ir/interpreter.h"
#include "common/ir/text.h"
#include "kernels/cuda/program/program.h"
#include "tests/unit/hal/device_fixture.h"

namespace acceld::testing {
namespace {

// A convolution with all that may differ about it; types without their element's.
struct Form {
  const char* what;
  std::string lhs, rhs, out, numbers, window;
  int feature_groups = 1, batch_groups = 1;
};

const Form kForms[] = {
    {"features last", "2x9x8x5", "3x3x5x6", "2x5x4x6", "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
     "stride = [2, 2], pad = [[1, 1], [1, 0]]"},
    {"vectors of features", "2x6x7x8", "3x3x8x12", "2x6x7x12",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]"},
    {"features first", "2x5x9x8", "6x5x3x3", "2x6x9x8", "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
     "pad = [[1, 1], [1, 1]]"},
    {"several tiles", "3x12x11x9", "3x3x9x70", "3x12x11x70",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]"},
    {"several tiles, features first", "3x9x12x11", "70x9x3x3", "3x70x12x11",
     "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", "pad = [[1, 1], [1, 1]]"},
    {"gradient of an input", "2x9x8x8", "3x3x5x8", "2x9x8x5",
     "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
     "pad = [[1, 1], [1, 1]], reverse = [true, true]"},
    {"gradient of an input, with strides", "2x4x4x6", "3x3x5x6", "2x9x8x5",
     "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
     "pad = [[2, 2], [1, 2]], lhs_dilate = [2, 2], reverse = [true, true]"},
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
    {"a dilated window, one way reversed", "2x9x10x4", "3x2x4x5", "2x7x9x5",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
     "pad = [[0, 2], [1, 1]], rhs_dilate = [2, 3], reverse = [true, false]"},
    {"less padding than none", "2x9x10x4", "3x2x4x5", "2x5x6x5",
     "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[-1, -1], [-3, 0]]"},
    {"another order of everything", "8x5x9x4", "3x6x3x5", "6x9x4x8",
     "[1, f, 0, b]x[0, o, 1, i]->[f, 0, b, 1]", "pad = [[1, 1], [1, 1]]"},
};

std::string TextOf(const Form& form, const std::string& dtype, const std::string& out_dtype) {
  return absl::Substitute(R"(
func.func @main(%x: tensor<$0>, %k: tensor<$1>) -> tensor<$2> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = $3, window = {$4}
      {batch_group_count = $5 : i64, feature_group_count = $6 : i64}
      : (tensor<$0>, tensor<$1>) -> tensor<$2>
  return %0 : tensor<$2>
})",
                          form.lhs + "x" + dtype, form.rhs + "x" + dtype,
                          form.out + "x" + out_dtype, form.numbers, form.window, form.batch_groups,
                          form.feature_groups);
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
  // Runs it, and compares with what the interpreter says.
  void Check(const std::string& text) {
    SCOPED_TRACE(text);
    const auto executable = Compile(text);
    const auto program = kernels::cuda::Deserialize(executable->code);
    ASSERT_TRUE(program.ok()) << program.status();
    int convolutions = 0;
    for (const auto& kernel : program->kernels) {
      convolutions += absl::StartsWith(kernel.name, "convolve_") ? 1 : 0;
    }
    EXPECT_GE(convolutions, 1) << ToString(*program);
    std::vector<ir::Literal> arguments;
    for (const ir::TensorType& type : executable->arguments) {
      arguments.push_back(SmallNumbers(type, static_cast<int64_t>(arguments.size())));
    }
    const auto wanted = ir::Interpret(*ir::ParseModule(text), "main", arguments);
    ASSERT_TRUE(wanted.ok()) << wanted.status();
    const auto results = Run(text, arguments);
    ASSERT_TRUE(results.ok()) << results.status();
    EXPECT_EQ(*results, *wanted);
  }
};

TEST_F(CudaConvolutionTest, EveryFormIsComputed) {
  Open();
  for (const Form& form : kForms) {
    SCOPED_TRACE(form.what);
    Check(TextOf(form, "f32", "f32"));
  }
}

TEST_F(CudaConvolutionTest, EveryFloatIsComputed) {
  Open();
  for (const char* dtype : {"f16", "bf16", "f64"}) {
    for (const Form& form : {kForms[1], kForms[4], kForms[7]}) {
      SCOPED_TRACE(form.what);
      Check(TextOf(form, dtype, dtype));
    }
  }
  Check(TextOf(kForms[1], "bf16", "f32"));
  Check(TextOf(kForms[1], "f16", "f32"));
}

}  // namespace
}  // namespace acceld::testing
