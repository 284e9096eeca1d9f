// Too little work to pay for transposes.
// run: canonicalize-dots
func.func @main(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>) -> tensor<2x3x4x4xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) -> tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}
