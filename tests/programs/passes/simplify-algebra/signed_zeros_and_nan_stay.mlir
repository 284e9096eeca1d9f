// x + 0 is not x for x = -0, and x * 0 is not 0 for infinities: both stay. x + (-0) is x.
// run: simplify-algebra, dce
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %1 = stablehlo.multiply %x, %zero : tensor<4xf32>
  %2 = stablehlo.add %x, %minus_zero : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %1 = stablehlo.constant dense<0.0> : tensor<4xf32>
    %2 = stablehlo.add %0, %1 : tensor<4xf32>
    %3 = stablehlo.multiply %0, %1 : tensor<4xf32>
    return %2, %3, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
