// Of a repeated label the diagonal is taken; a label of one operand only is summed before the product.
// run: decompose
func.func @main(%x: tensor<3x2x3x4xf32>, %y: tensor<2x5xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.einsum %x, %y, config = "abac,bd->da" : (tensor<3x2x3x4xf32>, tensor<2x5xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<3x2x3x4xf32>, %1: tensor<2x5xf32>) -> tensor<5x3xf32> {
    %2 = stablehlo.transpose %0, dims = [1, 3, 0, 2] : (tensor<3x2x3x4xf32>) -> tensor<2x4x3x3xf32>
    %3 = stablehlo.reshape %2 : (tensor<2x4x3x3xf32>) -> tensor<2x4x9xf32>
    %4 = stablehlo.slice %3 [0:2, 0:4, 0:9:4] : (tensor<2x4x9xf32>) -> tensor<2x4x3xf32>
    %5 = stablehlo.constant dense<0.0> : tensor<f32>
    %6 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%7: tensor<f32>, %8: tensor<f32>):
      %9 = stablehlo.add %7, %8 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<2x4x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %10 = stablehlo.dot_general %6, %1, contracting_dims = [0] x [0] : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<3x5xf32>
    %11 = stablehlo.transpose %10, dims = [1, 0] : (tensor<3x5xf32>) -> tensor<5x3xf32>
    return %11 : tensor<5x3xf32>
  }
}
