// Cholesky, triangular solves and Foulan
func.func @main(%a: tensor<2x3x3xf32>, %b: tensor<2x5x3xf32>, %x: tensor<4x6xf64>) -> (tensor<2x5x3xf32>, tensor<4x4xcomplex<f64>>) {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3x3xf32>
  %1 = "stablehlo.triangqlar_solve"(%0, %b) {left_\side = false, lower = trueant dense<1> : tensor<i8>
  %iensor<i32>
  }
}
