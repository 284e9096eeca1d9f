// All turns write one row.
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
    %y = stablehlo.reshape %s : (tensor<4xf32>) -> tensor<1x4xf32>
    %next_ys = stablehlo.dynamic_update_slice %ys, %y, %one, %first : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
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
    %2 = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %4:3 = "stablehlo.while"(%1, %0, %3) ({
    ^bb0(%5: tensor<i32>, %6: tensor<4xf32>, %7: tensor<16x4xf32>):
      %8 = stablehlo.constant dense<16> : tensor<i32>
      %9 = stablehlo.compare LT, %5, %8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%10: tensor<i32>, %11: tensor<4xf32>, %12: tensor<16x4xf32>):
      %13 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.reshape %11 : (tensor<4xf32>) -> tensor<1x4xf32>
      %15 = stablehlo.dynamic_update_slice %12, %14, %13, %1 : (tensor<16x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<16x4xf32>
      %16 = stablehlo.negate %11 : tensor<4xf32>
      %17 = stablehlo.add %10, %13 : tensor<i32>
      stablehlo.return %17, %16, %15 : tensor<i32>, tensor<4xf32>, tensor<16x4xf32>
    }) : (tensor<i32>, tensor<4xf32>, tensor<16x4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<16x4xf32>)
    return %4#2, %4#1 : tensor<16x4xf32>, tensor<4xf32>
  }
}
