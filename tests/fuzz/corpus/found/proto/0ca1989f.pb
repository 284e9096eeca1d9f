// Broadcasts compose; one that repeats nothing is a reshape.
// run: canonicalize
func.func @main(%x: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<1x3xf32>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x4xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
  return %1, %2 : tensor<2x3x4xf32>, tensor<1x3xf32>
}
