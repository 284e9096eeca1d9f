#include "server/compiler/warm_up.h"

#include "common/ir/text.h"
#include "server/compiler/compiler.h"

namespace acceld::compiler {
namespace {

// A softmax: it has reductions, broadcasts, a function that is computed by polynomials, a division,
// and loops that are vectorized and split among threads.
constexpr char kProgram[] = R"(
func.func @main(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1]
      : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %maxes = stablehlo.broadcast_in_dim %max, dims = [0]
      : (tensor<1024xf32>) -> tensor<1024x1024xf32>
  %shifted = stablehlo.subtract %x, %maxes : tensor<1024x1024xf32>
  %powers = stablehlo.exponential %shifted : tensor<1024x1024xf32>
  %sum = stablehlo.reduce(%powers init: %zero) applies stablehlo.add across dimensions = [1]
      : (tensor<1024x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0]
      : (tensor<1024xf32>) -> tensor<1024x1024xf32>
  %result = stablehlo.divide %powers, %sums : tensor<1024x1024xf32>
  return %result : tensor<1024x1024xf32>
})";

}  // namespace

absl::Status WarmUp(const codegen::CodeGenerator& generator) {
  ACCELD_ASSIGN_OR_RETURN(const ir::Module module, ir::ParseModule(kProgram));
  const ir::TensorType type{ir::DType::kF32, {1024, 1024}};
  return Compile(module, "main", {type}, generator, CompileOptions()).status();
}

}  // namespace acceld::compiler
