// The library adds before it activates.
// run: fuse-matmuls
// target: cuda
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %r: tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.maximum %0, %zeros : tensor<8x4xf32>
  %2 = stablehlo.add %1, %r : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x16xf32>, %1: tensor<16x4xf32>, %2: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %5 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.maximum %5, %4 : tensor<8x4xf32>
    %7 = stablehlo.add %6, %2 : tensor<8x4xf32>
    return %7 : tensor<8x4xf32>
  }
}
