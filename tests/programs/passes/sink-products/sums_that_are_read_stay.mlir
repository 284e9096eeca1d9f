// Each turn reads the sum.
// run: sink-products, dce
func.func @main(%xs: tensor<16x8x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<8x64xf32>) {
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
    %x1 = stablehlo.dynamic_slice %xs, %i, %first, %first, sizes = [1, 8, 64] : (tensor<16x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
    %x = stablehlo.reshape %x1 : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
    %d = stablehlo.add %x, %s : tensor<8x64xf32>
    %p = stablehlo.dot_general %x, %d, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<64x64xf32>
    %a1 = stablehlo.add %a, %p : tensor<64x64xf32>
    %part = stablehlo.slice %a [0:8, 0:64] : (tensor<64x64xf32>) -> tensor<8x64xf32>
    %d1 = stablehlo.sign %part : tensor<8x64xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %a1, %d1 : tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>
  }) : (tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>) -> (tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>)
  return %0#1, %0#2 : tensor<64x64xf32>, tensor<8x64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<16x8x64xf32>, %1: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<8x64xf32>) {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<8x64xf32>
    %5:3 = "stablehlo.while"(%2, %1, %4) ({
    ^bb0(%6: tensor<i32>, %7: tensor<64x64xf32>, %8: tensor<8x64xf32>):
      %9 = stablehlo.constant dense<16> : tensor<i32>
      %10 = stablehlo.compare LT, %6, %9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }, {
    ^bb0(%11: tensor<i32>, %12: tensor<64x64xf32>, %13: tensor<8x64xf32>):
      %14 = stablehlo.constant dense<1> : tensor<i32>
      %15 = stablehlo.dynamic_slice %0, %11, %2, %2, sizes = [1, 8, 64] : (tensor<16x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
      %16 = stablehlo.reshape %15 : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
      %17 = stablehlo.add %16, %13 : tensor<8x64xf32>
      %18 = stablehlo.dot_general %16, %17, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<64x64xf32>
      %19 = stablehlo.add %12, %18 : tensor<64x64xf32>
      %20 = stablehlo.slice %12 [0:8, 0:64] : (tensor<64x64xf32>) -> tensor<8x64xf32>
      %21 = stablehlo.sign %20 : tensor<8x64xf32>
      %22 = stablehlo.add %11, %14 : tensor<i32>
      stablehlo.return %22, %19, %21 : tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>
    }) : (tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>) -> (tensor<i32>, tensor<64x64xf32>, tensor<8x64xf32>)
    return %5#1, %5#2 : tensor<64x64xf32>, tensor<8x64xf32>
  }
}
