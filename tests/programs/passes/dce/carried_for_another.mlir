// A carried value that the next value of a live one is made of stays.
// run: dce
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %a = %x, %b = %y) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %1 = stablehlo.add %a, %b : tensor<4xf32>
      %2 = stablehlo.negate %b : tensor<4xf32>
      stablehlo.return %j, %1, %2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<4xf32>) -> tensor<4xf32> {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3:3 = "stablehlo.while"(%2, %0, %1) ({
    ^bb0(%4: tensor<i32>, %5: tensor<4xf32>, %6: tensor<4xf32>):
      %7 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.compare LT, %4, %7 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }, {
    ^bb0(%9: tensor<i32>, %10: tensor<4xf32>, %11: tensor<4xf32>):
      %12 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %9, %12 : tensor<i32>
      %14 = stablehlo.add %10, %11 : tensor<4xf32>
      %15 = stablehlo.negate %11 : tensor<4xf32>
      stablehlo.return %13, %14, %15 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>)
    return %3#1 : tensor<4xf32>
  }
}
