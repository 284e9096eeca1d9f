// Heads between rows and columns: the strides of groups describe them, so nothing is transposed.
// run: canonicalize-dots
func.func @main(%q: tensor<2x32x3x8xf32>, %k: tensor<2x48x3x8xf32>) -> tensor<2x3x32x48xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x32x3x8xf32>, tensor<2x48x3x8xf32>) -> tensor<2x3x32x48xf32>
  return %0 : tensor<2x3x32x48xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x32x3x8xf32>, %1: tensor<2x48x3x8xf32>) -> tensor<2x3x32x48xf32> {
    %2 = stablehlo.dot_general %0, %1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x32x3x8xf32>, tensor<2x48x3x8xf32>) -> tensor<2x3x32x48xf32>
    return %2 : tensor<2x3x32x48xf32>
  }
}
