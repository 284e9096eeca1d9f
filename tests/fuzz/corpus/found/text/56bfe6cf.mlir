// Cholesky, triangular solves and Fourier transforms are routines on whole buffers.
// run: plan
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x5x3xf32>, %x: tensor<4x6xf64>) -> (tensor<2x5x3xf32>, tensor<4x4xcomplex<f64>>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) {left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false} : (tensor<2x3x3xf32>, tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %2 = stablehlo.fft %x, type = RFFT, length = [4, 6] : (tensor<4x6xf64>) -> tensor<4x4xcomplex<f64>>
  return %1, %2 : tensor<2x5x3xf32>, tensor<4x4xcomplex<f64>>
}
