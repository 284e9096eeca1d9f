// Batches on all sides of rows and columns: no strides of a library describe them, so both operands are transposed.
// run: canonicalize-dots
func.func @main(%q: tensor<2x32x3x8x2xf32>, %k: tensor<2x48x3x8x2xf32>) -> tensor<2x3x2x32x48xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2, 4] x [0, 2, 4], contracting_dims = [3] x [3] : (tensor<2x32x3x8x2xf32>, tensor<2x48x3x8x2xf32>) -> tensor<2x3x2x32x48xf32>
  return %0 : tensor<2x3x2x32x48xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x32x3x8x2xf32>, %1: tensor<2x48x3x8x2xf32>) -> tensor<2x3x2x32x48xf32> {
    %2 = stablehlo.transpose %0, dims = [0, 2, 4, 1, 3] : (tensor<2x32x3x8x2xf32>) -> tensor<2x3x2x32x8xf32>
    %3 = stablehlo.transpose %1, dims = [0, 2, 4, 1, 3] : (tensor<2x48x3x8x2xf32>) -> tensor<2x3x2x48x8xf32>
    %4 = stablehlo.dot_general %2, %3, batching_dims = [0, 1, 2] x [0, 1, 2], contracting_dims = [4] x [4] : (tensor<2x3x2x32x8xf32>, tensor<2x3x2x48x8xf32>) -> tensor<2x3x2x32x48xf32>
    return %4 : tensor<2x3x2x32x48xf32>
  }
}
