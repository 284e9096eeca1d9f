// The loop reads no more than some of the rows, so both operands are collected, each in the order of the turns.
// run: sink-products, dce
func.func @main(%xs: tensor<20x8x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<8x64xf32>) {
  %first = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %state = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x64xf32>
  %0:3 = "stablehlo.while"(%first, %w, %state) ({
  ^bb0(%i: tensor<i32>, %a: tensor<64x64xf32>, %s: tensor<8x64xf32>):
    %limit = stablehlo.constant dense<16> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %limit, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<64x64xf32>, %s: tensor<8x64xf32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %x1 = stablehlo.dynamic_slice %xs, %i, %first, %first, sizes = [1, 8, 64] : (tensor<20x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
    %x = stablehlo.reshape %x1 : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
    %d = stablehlo.add %x, %s : tensor<8x64xf32>
    %p = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<64x64xf32>
    %a1 = stablehlo.add %a, %p : tensor<64x64xf32>
    %d1 = stablehlo.negate %d : tensor<8x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %a1, %d1 : tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>
  }) : (tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>) -> (tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>)
  return %0#1, %0#2 : tensor<64x64xf32>, tensor<8x64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<20x8x64xf32>, %1: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<8x64xf32>) {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x64xf32>
    %5 = stablehlo.constant dense<0.0> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<16x8x64xf32>
    %7 = stablehlo.constant dense<0.0> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<16x8x64xf32>
    %9:4 = "stablehlo.while"(%2, %4, %6, %8) ({
    ^bb0(%10: tensor<i32>, %11: tensor<8x64xf32>, %12: tensor<16x8x64xf32>, %13: tensor<16x8x64xf32>):
      %14 = stablehlo.constant dense<16> : tensor<i32>
      %15 = stablehlo.compare LT, %10, %14, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %15 : tensor<i1>
    }, {
    ^bb0(%16: tensor<i32>, %17: tensor<8x64xf32>, %18: tensor<16x8x64xf32>, %19: tensor<16x8x64xf32>):
      %20 = stablehlo.constant dense<1> : tensor<i32>
      %21 = stablehlo.dynamic_slice %0, %16, %2, %2, sizes = [1, 8, 64] : (tensor<20x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
      %22 = stablehlo.reshape %21 : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
      %23 = stablehlo.add %22, %17 : tensor<8x64xf32>
      %24 = stablehlo.negate %23 : tensor<8x64xf32>
      %25 = stablehlo.add %16, %20 : tensor<i32>
      %26 = stablehlo.constant dense<0> : tensor<i32>
      %27 = stablehlo.reshape %22 : (tensor<8x64xf32>) -> tensor<1x8x64xf32>
      %28 = stablehlo.dynamic_update_slice %18, %27, %16, %26, %26 : (tensor<16x8x64xf32>, tensor<1x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x64xf32>
      %29 = stablehlo.constant dense<0> : tensor<i32>
      %30 = stablehlo.reshape %23 : (tensor<8x64xf32>) -> tensor<1x8x64xf32>
      %31 = stablehlo.dynamic_update_slice %19, %30, %16, %29, %29 : (tensor<16x8x64xf32>, tensor<1x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x8x64xf32>
      stablehlo.return %25, %24, %28, %31 : tensor<i32>, tensor<8x64xf32>, tensor<16x8x64xf32>, tensor<16x8x64xf32>
    }) : (tensor<i32>, tensor<8x64xf32>, tensor<16x8x64xf32>, tensor<16x8x64xf32>) -> (tensor<i32>, tensor<8x64xf32>, tensor<16x8x64xf32>, tensor<16x8x64xf32>)
    %32 = stablehlo.dot_general %9#2, %9#3, contracting_dims = [0, 1] x [0, 1] : (tensor<16x8x64xf32>, tensor<16x8x64xf32>) -> tensor<64x64xf32>
    %33 = stablehlo.add %1, %32 : tensor<64x64xf32>
    return %33, %9#1 : tensor<64x64xf32>, tensor<8x64xf32>
  }
}
