// A loop stops carrying what neither its condition nor anybody after it reads.
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
      %1 = stablehlo.negate %a : tensor<4xf32>
      %2 = stablehlo.sine %b : tensor<4xf32>
      stablehlo.return %j, %1, %2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<4xf32>) -> tensor<4xf32> {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3:2 = "stablehlo.while"(%2, %0) ({
    ^bb0(%4: tensor<i32>, %5: tensor<4xf32>):
      %6 = stablehlo.constant dense<3> : tensor<i32>
      %7 = stablehlo.compare LT, %4, %6 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }, {
    ^bb0(%8: tensor<i32>, %9: tensor<4xf32>):
      %10 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %8, %10 : tensor<i32>
      %12 = stablehlo.negate %9 : tensor<4xf32>
      stablehlo.return %11, %12 : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    return %3#1 : tensor<4xf32>
  }
}
