// All inputs are multiplied before the loop, whose turns take the rows of the product in the order in which they took those of the inputs.
// run: hoist-products, dce
func.func @main(%xs: tensor<16x8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %state = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
  %0:2 = "stablehlo.while"(%first, %state) ({
  ^bb0(%i: tensor<i32>, %s: tensor<8x32xf32>):
    %limit = stablehlo.constant dense<16> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %s: tensor<8x32xf32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %last = stablehlo.constant dense<15> : tensor<i32>
    %at = stablehlo.subtract %last, %i : tensor<i32>
    %x1 = stablehlo.dynamic_slice %xs, %at, %first, %first, sizes = [1, 8, 64] : (tensor<16x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
    %x = stablehlo.reshape %x1 : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    %d = stablehlo.subtract %p, %s : tensor<8x32xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %d : tensor<i32>, tensor<8x32xf32>
  }) : (tensor<i32>, tensor<8x32xf32>) -> (tensor<i32>, tensor<8x32xf32>)
  return %0#1 : tensor<8x32xf32>
}
// expect
module {
  func.func public @main(%0: tensor<16x8x64xf32>, %1: tensor<64x32xf32>) -> tensor<8x32xf32> {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %5 = stablehlo.dot_general %0, %1, contracting_dims = [2] x [0] : (tensor<16x8x64xf32>, tensor<64x32xf32>) -> tensor<16x8x32xf32>
    %6:2 = "stablehlo.while"(%2, %4) ({
    ^bb0(%7: tensor<i32>, %8: tensor<8x32xf32>):
      %9 = stablehlo.constant dense<16> : tensor<i32>
      %10 = stablehlo.compare LT, %7, %9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }, {
    ^bb0(%11: tensor<i32>, %12: tensor<8x32xf32>):
      %13 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.constant dense<15> : tensor<i32>
      %15 = stablehlo.subtract %14, %11 : tensor<i32>
      %16 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.dynamic_slice %5, %15, %16, %16, sizes = [1, 8, 32] : (tensor<16x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32xf32>
      %18 = stablehlo.reshape %17 : (tensor<1x8x32xf32>) -> tensor<8x32xf32>
      %19 = stablehlo.subtract %18, %12 : tensor<8x32xf32>
      %20 = stablehlo.add %11, %13 : tensor<i32>
      stablehlo.return %20, %19 : tensor<i32>, tensor<8x32xf32>
    }) : (tensor<i32>, tensor<8x32xf32>) -> (tensor<i32>, tensor<8x32xf32>)
    return %6#1 : tensor<8x32xf32>
  }
}
