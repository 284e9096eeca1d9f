// The matrix is another one in each turn.
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
    %f = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %g = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
    %v = stablehlo.add %w, %g : tensor<64x32xf32>
    %x1 = stablehlo.dynamic_slice %xs, %i, %first, %first, sizes = [1, 8, 64] : (tensor<16x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
    %x = stablehlo.reshape %x1 : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
    %p = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
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
    %5:2 = "stablehlo.while"(%2, %4) ({
    ^bb0(%6: tensor<i32>, %7: tensor<8x32xf32>):
      %8 = stablehlo.constant dense<16> : tensor<i32>
      %9 = stablehlo.compare LT, %6, %8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%10: tensor<i32>, %11: tensor<8x32xf32>):
      %12 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.convert %10 : (tensor<i32>) -> tensor<f32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
      %15 = stablehlo.add %1, %14 : tensor<64x32xf32>
      %16 = stablehlo.dynamic_slice %0, %10, %2, %2, sizes = [1, 8, 64] : (tensor<16x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
      %17 = stablehlo.reshape %16 : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
      %18 = stablehlo.dot_general %17, %15, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
      %19 = stablehlo.subtract %18, %11 : tensor<8x32xf32>
      %20 = stablehlo.add %10, %12 : tensor<i32>
      stablehlo.return %20, %19 : tensor<i32>, tensor<8x32xf32>
    }) : (tensor<i32>, tensor<8x32xf32>) -> (tensor<i32>, tensor<8x32xf32>)
    return %5#1 : tensor<8x32xf32>
  }
}
