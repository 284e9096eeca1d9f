// The sum is of something else, along a dimension that the exponentials do not have.
// run: fuse-attention
// target: cuda
func.func @main(%x: tensor<4x6xf32>, %y: tensor<2x2x2x3x5xf32>, %v: tensor<6x8xf32>) -> (tensor<4x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<4x6xf32>
  %z = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3xf32>
  %zb = stablehlo.reshape %z : (tensor<2x2x2x3xf32>) -> tensor<4x6xf32>
  %p = stablehlo.divide %e, %zb : tensor<4x6xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4x6xf32>, %1: tensor<2x2x2x3x5xf32>, %2: tensor<6x8xf32>) -> tensor<4x8xf32> {
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.exponential %0 : tensor<4x6xf32>
    %5 = "stablehlo.reduce"(%1, %3) <{dimensions = array<i64: 4>}> ({
    ^bb0(%6: tensor<f32>, %7: tensor<f32>):
      %8 = stablehlo.add %6, %7 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<2x2x2x3x5xf32>, tensor<f32>) -> tensor<2x2x2x3xf32>
    %9 = stablehlo.reshape %5 : (tensor<2x2x2x3xf32>) -> tensor<4x6xf32>
    %10 = stablehlo.divide %4, %9 : tensor<4x6xf32>
    %11 = stablehlo.dot_general %10, %2, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    return %11 : tensor<4x8xf32>
  }
}
