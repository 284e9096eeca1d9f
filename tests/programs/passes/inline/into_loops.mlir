// Calls in the body of a loop; the carried values stay in order.
// run: inline
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %1:2 = func.call @step(%i, %v) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
      stablehlo.return %1#0, %1#1 : tensor<i32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}
func.func private @step(%i: tensor<i32>, %v: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.add %i, %one : tensor<i32>
  %1 = stablehlo.negate %v : tensor<4xf32>
  return %0, %1 : tensor<i32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<i32>, %1: tensor<4xf32>) -> tensor<4xf32> {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3:2 = "stablehlo.while"(%2, %1) ({
    ^bb0(%4: tensor<i32>, %5: tensor<4xf32>):
      %6 = stablehlo.compare LT, %4, %0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    }, {
    ^bb0(%7: tensor<i32>, %8: tensor<4xf32>):
      %9 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %7, %9 : tensor<i32>
      %11 = stablehlo.negate %8 : tensor<4xf32>
      stablehlo.return %10, %11 : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    return %3#1 : tensor<4xf32>
  }
}
