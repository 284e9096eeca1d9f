// Constants of a loop body fold; the loop itself is never run.
// run: fold-constants, dce
func.func @main() -> tensor<i32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%i = %c0) : tensor<i32>
    cond {
      %a = stablehlo.constant dense<5> : tensor<i32>
      %n = stablehlo.multiply %a, %a : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %two = stablehlo.add %one, %one : tensor<i32>
      %j = stablehlo.add %i, %two : tensor<i32>
      stablehlo.return %j : tensor<i32>
    }
  return %0 : tensor<i32>
}
// expect
module {
  func.func public @main() -> tensor<i32> {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = "stablehlo.while"(%0) ({
    ^bb0(%2: tensor<i32>):
      %3 = stablehlo.constant dense<25> : tensor<i32>
      %4 = stablehlo.compare LT, %2, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }, {
    ^bb0(%5: tensor<i32>):
      %6 = stablehlo.constant dense<2> : tensor<i32>
      %7 = stablehlo.add %5, %6 : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
}
