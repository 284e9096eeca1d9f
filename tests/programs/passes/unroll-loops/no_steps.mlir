// A loop that ends where it begins gives what it was given.
// run: unroll-loops, dce
func.func @main(%arg0: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %one, %x = %arg0) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %one, %i : tensor<i32>
    %2 = stablehlo.multiply %x, %x : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %1 = stablehlo.constant dense<1> : tensor<i32>
    return %1, %0 : tensor<i32>, tensor<4xf32>
  }
}
