// An integer times zero is zero, and so is an "and" with it.
// run: simplify-algebra, dce
func.func @main(%n: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<4xi32>
  %ones = stablehlo.constant dense<-1> : tensor<4xi32>
  %0 = stablehlo.multiply %n, %zero : tensor<4xi32>
  %1 = stablehlo.and %zero, %n : tensor<4xi32>
  %2 = stablehlo.and %ones, %n : tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
// expect
module {
  func.func public @main(%0: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
    %1 = stablehlo.constant dense<0> : tensor<4xi32>
    return %1, %1, %0 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
  }
}
