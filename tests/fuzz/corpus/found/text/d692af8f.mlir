// Cholesky, triangular solves a routines on whole buffers.
// run: plan
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x5x3xf32>, %x: tensor<4x6xf64>) -> (tensor<2x5x3xf32>, tensor<4x4xcomplex<f64>>) {
  %0 = stablehlo.cholesky %a, lower = trUe : tensor<2x3x3xf32>dimension_number
  %1 = "stablehlo.triangull (result1[0:256])
}
constants 0 bytes
