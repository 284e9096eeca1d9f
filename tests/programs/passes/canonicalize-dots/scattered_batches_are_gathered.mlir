// Heads between rows and columns: no strides of a library describe them, so both operands are transposed.
// run: canonicalize-dots
func.func @main(%q: tensor<2x32x3x8xf32>, %k: tensor<2x48x3x8xf32>) -> tensor<2x3x32x48xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x32x3x8xf32>, tensor<2x48x3x8xf32>) -> tensor<2x3x32x48xf32>
  return %0 : tensor<2x3x32x48xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x32x3x8xf32>, %1: tensor<2x48x3x8xf32>) -> tensor<2x3x32x48xf32> {
    %2 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<2x32x3x8xf32>) -> tensor<2x3x32x8xf32>
    %3 = stablehlo.transpose %1, dims = [0, 2, 1, 3] : (tensor<2x48x3x8xf32>) -> tensor<2x3x48x8xf32>
    %4 = stablehlo.dot_general %2, %3, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x32x8xf32>, tensor<2x3x48x8xf32>) -> tensor<2x3x32x48xf32>
    return %4 : tensor<2x3x32x48xf32>
  }
}
