// Barriers in the regions of control flow are dropped, too.
// run: drop-barriers
func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %j = stablehlo.optimization_barrier %i : tensor<i32>
    %more = stablehlo.compare GT, %j, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %j = stablehlo.optimization_barrier %i : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.subtract %j, %one : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  return %0 : tensor<i32>
}
// expect
module {
  func.func public @main(%0: tensor<i32>) -> tensor<i32> {
    %1 = "stablehlo.while"(%0) ({
    ^bb0(%2: tensor<i32>):
      %3 = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.compare GT, %2, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }, {
    ^bb0(%5: tensor<i32>):
      %6 = stablehlo.constant dense<1> : tensor<i32>
      %7 = stablehlo.subtract %5, %6 : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
}
