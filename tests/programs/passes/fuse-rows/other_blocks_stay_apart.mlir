// Sums of columns are for others to read, of one way to make blocks: the second ones stay apart, as
// does what needs the first ones.
// run: fuse, fuse-rows, merge-reductions
func.func @main(%x: tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<8x64xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<128x64xf32>, tensor<f32>) -> tensor<128xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<128xf32>) -> tensor<128x64xf32>
  %y = stablehlo.divide %x, %sb : tensor<128x64xf32>
  %yb = stablehlo.reshape %y : (tensor<128x64xf32>) -> tensor<4x32x64xf32>
  %cy = stablehlo.reduce(%yb init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  %cyb = stablehlo.broadcast_in_dim %cy, dims = [0, 2] : (tensor<4x64xf32>) -> tensor<4x32x64xf32>
  %cyr = stablehlo.reshape %cyb : (tensor<4x32x64xf32>) -> tensor<128x64xf32>
  %w = stablehlo.subtract %y, %cyr : tensor<128x64xf32>
  %yc = stablehlo.reshape %y : (tensor<128x64xf32>) -> tensor<8x16x64xf32>
  %cc = stablehlo.reduce(%yc init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x16x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  return %w, %cc : tensor<128x64xf32>, tensor<8x64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<8x64xf32>) {
    %1:2 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<128x64xf32>):
      %3 = stablehlo.constant dense<0.0> : tensor<f32>
      %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 1>}> ({
      ^bb0(%5: tensor<f32>, %6: tensor<f32>):
        %7 = stablehlo.add %5, %6 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<128x64xf32>, tensor<f32>) -> tensor<128xf32>
      %8 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<128xf32>) -> tensor<128x64xf32>
      %9 = stablehlo.divide %2, %8 : tensor<128x64xf32>
      %10 = stablehlo.reshape %9 : (tensor<128x64xf32>) -> tensor<4x32x64xf32>
      %11 = stablehlo.constant dense<0.0> : tensor<f32>
      %12 = "stablehlo.reduce"(%10, %11) <{dimensions = array<i64: 1>}> ({
      ^bb0(%13: tensor<f32>, %14: tensor<f32>):
        %15 = stablehlo.add %13, %14 : tensor<f32>
        stablehlo.return %15 : tensor<f32>
      }) : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x64xf32>
      stablehlo.return %9, %12 : tensor<128x64xf32>, tensor<4x64xf32>
    }) : (tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<4x64xf32>)
    %16 = "acceld.fusion"(%1#1, %1#0) ({
    ^bb0(%17: tensor<4x64xf32>, %18: tensor<128x64xf32>):
      %19 = stablehlo.broadcast_in_dim %17, dims = [0, 2] : (tensor<4x64xf32>) -> tensor<4x32x64xf32>
      %20 = stablehlo.reshape %19 : (tensor<4x32x64xf32>) -> tensor<128x64xf32>
      %21 = stablehlo.subtract %18, %20 : tensor<128x64xf32>
      stablehlo.return %21 : tensor<128x64xf32>
    }) : (tensor<4x64xf32>, tensor<128x64xf32>) -> tensor<128x64xf32>
    %22 = stablehlo.reshape %1#0 : (tensor<128x64xf32>) -> tensor<8x16x64xf32>
    %23 = "acceld.fusion"(%22) <{kind = reduction}> ({
    ^bb0(%24: tensor<8x16x64xf32>):
      %25 = stablehlo.constant dense<0.0> : tensor<f32>
      %26 = "stablehlo.reduce"(%24, %25) <{dimensions = array<i64: 1>}> ({
      ^bb0(%27: tensor<f32>, %28: tensor<f32>):
        %29 = stablehlo.add %27, %28 : tensor<f32>
        stablehlo.return %29 : tensor<f32>
      }) : (tensor<8x16x64xf32>, tensor<f32>) -> tensor<8x64xf32>
      stablehlo.return %26 : tensor<8x64xf32>
    }) : (tensor<8x16x64xf32>) -> tensor<8x64xf32>
    return %16, %23 : tensor<128x64xf32>, tensor<8x64xf32>
  }
}
