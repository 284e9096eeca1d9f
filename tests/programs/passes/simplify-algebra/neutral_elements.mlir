// x * 1, x - 0 and x / 1 are x.
// run: simplify-algebra, dce
func.func @main(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %0 = stablehlo.multiply %one, %x : tensor<4xf32>
  %1 = stablehlo.subtract %0, %zero : tensor<4xf32>
  %2 = stablehlo.divide %1, %one : tensor<4xf32>
  %i = stablehlo.constant dense<0> : tensor<4xi32>
  %3 = stablehlo.add %n, %i : tensor<4xi32>
  %4 = stablehlo.or %3, %i : tensor<4xi32>
  return %2, %4 : tensor<4xf32>, tensor<4xi32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
    return %0, %1 : tensor<4xf32>, tensor<4xi32>
  }
}
