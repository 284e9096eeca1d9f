// The constant is stored for the product, so that it is no scale inside of it.
// run: fuse-matmuls
// target: cuda
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c = stablehlo.constant dense<5.000000e-01> : tensor<64x64xf32>
  %0 = stablehlo.dot_general %c, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.multiply %0, %c : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %1 = stablehlo.constant dense<0.5> : tensor<64x64xf32>
    %2 = stablehlo.dot_general %1, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }
}
