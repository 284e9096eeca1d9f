// Other libraries have no epilogue.
// run: fuse-matmuls
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %bias: tensor<4xf32>) -> (tensor<8x4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %v = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.add %0, %v : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x16xf32>, %1: tensor<16x4xf32>, %2: tensor<4xf32>) -> tensor<8x4xf32> {
    %3 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %5 = stablehlo.add %3, %4 : tensor<8x4xf32>
    return %5 : tensor<8x4xf32>
  }
}
