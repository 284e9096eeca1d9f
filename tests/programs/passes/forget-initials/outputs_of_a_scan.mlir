// The loop writes every row, here from the last one on, and nobody sees what was there before.
// run: forget-initials, dce
func.func @main(%x: tensor<4xf32>) -> (tensor<16x4xf32>, tensor<4xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
  %0:3 = "stablehlo.while"(%first, %x, %zeros) ({
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>, %ys: tensor<16x4xf32>):
    %limit = stablehlo.constant dense<16> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %s: tensor<4xf32>, %ys: tensor<16x4xf32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %last = stablehlo.constant dense<15> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %y = stablehlo.reshape %s : (tensor<4xf32>) -> tensor<1x4xf32>
    %next_ys = stablehlo.dynamic_update_slice %ys, %y, %at, %first : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
    %d = stablehlo.negate %s : tensor<4xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %d, %next_ys : tensor<i32>, tensor<4xf32>, tensor<16x4xf32>
  }) : (tensor<i32>, tensor<4xf32>, tensor<16x4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<16x4xf32>)
  return %0#2, %0#1 : tensor<16x4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> (tensor<16x4xf32>, tensor<4xf32>) {
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.custom_call @acceld.unwritten() : () -> tensor<16x4xf32>
    %3:3 = "stablehlo.while"(%1, %0, %2) ({
    ^bb0(%4: tensor<i32>, %5: tensor<4xf32>, %6: tensor<16x4xf32>):
      %7 = stablehlo.constant dense<16> : tensor<i32>
      %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    }, {
    ^bb0(%9: tensor<i32>, %10: tensor<4xf32>, %11: tensor<16x4xf32>):
      %12 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.constant dense<15> : tensor<i32>
      %14 = stablehlo.subtract %13, %9 : tensor<i32>
      %15 = stablehlo.reshape %10 : (tensor<4xf32>) -> tensor<1x4xf32>
      %16 = stablehlo.dynamic_update_slice %11, %15, %14, %1 : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
      %17 = stablehlo.negate %10 : tensor<4xf32>
      %18 = stablehlo.add %9, %12 : tensor<i32>
      stablehlo.return %18, %17, %16 : tensor<i32>, tensor<4xf32>, tensor<16x4xf32>
    }) : (tensor<i32>, tensor<4xf32>, tensor<16x4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<16x4xf32>)
    return %3#2, %3#1 : tensor<16x4xf32>, tensor<4xf32>
  }
}
