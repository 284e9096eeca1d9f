// What a loop hands on unchanged is the value from before the loop, in the condition, the body and behind it.
// run: hoist-invariants
func.func @main(%w: tensor<4x4xf32>, %x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = "stablehlo.while"(%zero, %w, %x, %n) ({
  ^bb0(%i: tensor<i32>, %a: tensor<4x4xf32>, %b: tensor<4xf32>, %m: tensor<i32>):
    %1 = stablehlo.compare LT, %i, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<4x4xf32>, %b: tensor<4xf32>, %m: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %a, %1, %m : tensor<i32>, tensor<4x4xf32>, tensor<4xf32>, tensor<i32>
  }) : (tensor<i32>, tensor<4x4xf32>, tensor<4xf32>, tensor<i32>) -> (tensor<i32>, tensor<4x4xf32>, tensor<4xf32>, tensor<i32>)
  return %0#1, %0#2 : tensor<4x4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4x4xf32>, %1: tensor<4xf32>, %2: tensor<i32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %3 = stablehlo.constant dense<0> : tensor<i32>
    %4:2 = "stablehlo.while"(%3, %1) ({
    ^bb0(%5: tensor<i32>, %6: tensor<4xf32>):
      %7 = stablehlo.compare LT, %5, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }, {
    ^bb0(%8: tensor<i32>, %9: tensor<4xf32>):
      %10 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.dot_general %0, %9, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %12 = stablehlo.add %8, %10 : tensor<i32>
      stablehlo.return %12, %11 : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    return %0, %4#1 : tensor<4x4xf32>, tensor<4xf32>
  }
}
