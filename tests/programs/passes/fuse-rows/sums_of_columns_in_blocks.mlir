// The columns of blocks of rows are summed while a row is at hand: of what the fusion reads, and of
// what it makes of a row.
// run: fuse, fuse-rows, merge-reductions
func.func @main(%x: tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %xb = stablehlo.reshape %x : (tensor<128x64xf32>) -> tensor<4x32x64xf32>
  %cx = stablehlo.reduce(%xb init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<128x64xf32>, tensor<f32>) -> tensor<128xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<128xf32>) -> tensor<128x64xf32>
  %y = stablehlo.divide %x, %sb : tensor<128x64xf32>
  %yb = stablehlo.reshape %y : (tensor<128x64xf32>) -> tensor<4x32x64xf32>
  %cy = stablehlo.reduce(%yb init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x64xf32>
  return %y, %cx, %cy : tensor<128x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
    %1:3 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<128x64xf32>):
      %3 = stablehlo.reshape %2 : (tensor<128x64xf32>) -> tensor<4x32x64xf32>
      %4 = stablehlo.constant dense<0.0> : tensor<f32>
      %5 = "stablehlo.reduce"(%3, %4) <{dimensions = array<i64: 1>}> ({
      ^bb0(%6: tensor<f32>, %7: tensor<f32>):
        %8 = stablehlo.add %6, %7 : tensor<f32>
        stablehlo.return %8 : tensor<f32>
      }) : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x64xf32>
      %9 = stablehlo.constant dense<0.0> : tensor<f32>
      %10 = "stablehlo.reduce"(%2, %9) <{dimensions = array<i64: 1>}> ({
      ^bb0(%11: tensor<f32>, %12: tensor<f32>):
        %13 = stablehlo.add %11, %12 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<128x64xf32>, tensor<f32>) -> tensor<128xf32>
      %14 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<128xf32>) -> tensor<128x64xf32>
      %15 = stablehlo.divide %2, %14 : tensor<128x64xf32>
      %16 = stablehlo.reshape %15 : (tensor<128x64xf32>) -> tensor<4x32x64xf32>
      %17 = stablehlo.constant dense<0.0> : tensor<f32>
      %18 = "stablehlo.reduce"(%16, %17) <{dimensions = array<i64: 1>}> ({
      ^bb0(%19: tensor<f32>, %20: tensor<f32>):
        %21 = stablehlo.add %19, %20 : tensor<f32>
        stablehlo.return %21 : tensor<f32>
      }) : (tensor<4x32x64xf32>, tensor<f32>) -> tensor<4x64xf32>
      stablehlo.return %5, %15, %18 : tensor<4x64xf32>, tensor<128x64xf32>, tensor<4x64xf32>
    }) : (tensor<128x64xf32>) -> (tensor<4x64xf32>, tensor<128x64xf32>, tensor<4x64xf32>)
    return %1#1, %1#0, %1#2 : tensor<128x64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
  }
}
