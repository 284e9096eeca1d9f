// The residual would be stored by a loop of its own.
// run: fuse-matmuls
// target: cuda
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %r: tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.exponential %r : tensor<8x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x16xf32>, %1: tensor<16x4xf32>, %2: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %3 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.exponential %2 : tensor<8x4xf32>
    %5 = stablehlo.add %3, %4 : tensor<8x4xf32>
    return %5 : tensor<8x4xf32>
  }
}
