// A loop that counts from one constant to another becomes its steps.
// run: unroll-loops, dce
func.func @main(%arg0: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %arg0, %y = %arg0) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %x, %y : tensor<4xf32>
    stablehlo.return %1, %y, %2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.add %1, %2 : tensor<i32>
    %4 = stablehlo.multiply %0, %0 : tensor<4xf32>
    %5 = stablehlo.add %3, %2 : tensor<i32>
    %6 = stablehlo.multiply %0, %4 : tensor<4xf32>
    %7 = stablehlo.add %5, %2 : tensor<i32>
    return %7, %6 : tensor<i32>, tensor<4xf32>
  }
}
