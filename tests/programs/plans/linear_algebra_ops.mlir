// Cholesky, triangular solves and Fourier transforms are routines on whole buffers.
// run: plan
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x5x3xf32>, %x: tensor<4x6xf64>) -> (tensor<2x5x3xf32>, tensor<4x4xcomplex<f64>>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
  %1 = "stablehlo.triangular_solve"(%0, %b) {left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false} : (tensor<2x3x3xf32>, tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %2 = stablehlo.fft %x, type = RFFT, length = [4, 6] : (tensor<4x6xf64>) -> tensor<4x4xcomplex<f64>>
  return %1, %2 : tensor<2x5x3xf32>, tensor<4x4xcomplex<f64>>
}
// expect
function main(tensor<2x3x3xf32>, tensor<2x5x3xf32>, tensor<4x6xf64>) -> (tensor<2x5x3xf32>, tensor<4x4xcomplex<f64>>) arena 128 {
  // stablehlo.cholesky (line 4)
  routine cholesky lower=1(tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>) from (argument0[0:72]) to (arena0[0:72])
  // stablehlo.triangular_solve (line 5)
  routine triangular_solve_right lower=1 unit_diagonal=0 transpose=2(tensor<2x3x3xf32>, tensor<2x5x3xf32>) -> (tensor<2x5x3xf32>) from (arena0[0:72], argument1[0:120]) to (result0[0:120])
  // stablehlo.fft (line 6)
  routine fft kind=2 rank=2(tensor<4x6xf64>) -> (tensor<4x4xcomplex<f64>>) from (argument2[0:192]) to (result1[0:256])
}
constants 0 bytes
