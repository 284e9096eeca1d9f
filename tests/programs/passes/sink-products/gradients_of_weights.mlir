// The gradient of weights in a scan that goes backwards: one product over all turns, whose one operand lies there already and whose other one is collected in its order. The sum from zero needs no addition, the other one does.
// run: sink-products, dce
func.func @main(%xs: tensor<16x8x64xf32>, %gs: tensor<16x8x32xf32>, %w: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<8x32xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
  %state = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
  %0:4 = "stablehlo.while"(%first, %zeros, %w, %state) ({
  ^bb0(%i: tensor<i32>, %a: tensor<64x32xf32>, %b: tensor<64x32xf32>, %s: tensor<8x32xf32>):
    %limit = stablehlo.constant dense<16> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<64x32xf32>, %b: tensor<64x32xf32>, %s: tensor<8x32xf32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %turns = stablehlo.constant dense<16> : tensor<i32>
    %left = stablehlo.subtract %turns, %i : tensor<i32>
    %at = stablehlo.subtract %left, %one : tensor<i32>
    %x1 = stablehlo.dynamic_slice %xs, %at, %first, %first, sizes = [1, 8, 64] : (tensor<16x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
    %x = stablehlo.reshape %x1 : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
    %g1 = stablehlo.dynamic_slice %gs, %at, %first, %first, sizes = [1, 8, 32] : (tensor<16x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32xf32>
    %g = stablehlo.reshape %g1 : (tensor<1x8x32xf32>) -> tensor<8x32xf32>
    %d = stablehlo.add %g, %s : tensor<8x32xf32>
    %p = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x32xf32>) -> tensor<64x32xf32>
    %a1 = stablehlo.add %a, %p : tensor<64x32xf32>
    %q = stablehlo.dot_general %x, %g, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x32xf32>) -> tensor<64x32xf32>
    %b1 = stablehlo.add %q, %b : tensor<64x32xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %a1, %b1, %d : tensor<i32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<8x32xf32>
  }) : (tensor<i32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<8x32xf32>) -> (tensor<i32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<8x32xf32>)
  return %0#1, %0#2, %0#3 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<8x32xf32>
}
// expect
module {
  func.func public @main(%0: tensor<16x8x64xf32>, %1: tensor<16x8x32xf32>, %2: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<8x32xf32>) {
    %3 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %6 = stablehlo.constant dense<0.0> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<16x8x32xf32>
    %8:3 = "stablehlo.while"(%3, %5, %7) ({
    ^bb0(%9: tensor<i32>, %10: tensor<8x32xf32>, %11: tensor<16x8x32xf32>):
      %12 = stablehlo.constant dense<16> : tensor<i32>
      %13 = stablehlo.compare LT, %9, %12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }, {
    ^bb0(%14: tensor<i32>, %15: tensor<8x32xf32>, %16: tensor<16x8x32xf32>):
      %17 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.constant dense<16> : tensor<i32>
      %19 = stablehlo.subtract %18, %14 : tensor<i32>
      %20 = stablehlo.subtract %19, %17 : tensor<i32>
      %21 = stablehlo.dynamic_slice %1, %20, %3, %3, sizes = [1, 8, 32] : (tensor<16x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32xf32>
      %22 = stablehlo.reshape %21 : (tensor<1x8x32xf32>) -> tensor<8x32xf32>
      %23 = stablehlo.add %22, %15 : tensor<8x32xf32>
      %24 = stablehlo.add %14, %17 : tensor<i32>
      %25 = stablehlo.constant dense<0> : tensor<i32>
      %26 = stablehlo.reshape %23 : (tensor<8x32xf32>) -> tensor<1x8x32xf32>
      %27 = stablehlo.dynamic_update_slice %16, %26, %20, %25, %25 : (tensor<16x8x32xf32>, tensor<1x8x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x32xf32>
      stablehlo.return %24, %23, %27 : tensor<i32>, tensor<8x32xf32>, tensor<16x8x32xf32>
    }) : (tensor<i32>, tensor<8x32xf32>, tensor<16x8x32xf32>) -> (tensor<i32>, tensor<8x32xf32>, tensor<16x8x32xf32>)
    %28 = stablehlo.dot_general %0, %8#2, contracting_dims = [0, 1] x [0, 1] : (tensor<16x8x64xf32>, tensor<16x8x32xf32>) -> tensor<64x32xf32>
    %29 = stablehlo.dot_general %0, %1, contracting_dims = [0, 1] x [0, 1] : (tensor<16x8x64xf32>, tensor<16x8x32xf32>) -> tensor<64x32xf32>
    %30 = stablehlo.add %2, %29 : tensor<64x32xf32>
    return %28, %30, %8#1 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<8x32xf32>
  }
}
