// Two sums of columns, of which one needs rows' sums first, read their common operand once.
// run: fuse, fuse-rows, merge-reductions
func.func @main(%x: tensor<256x1000xf32>, %d: tensor<256x1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<256xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<256xf32>) -> tensor<256x1000xf32>
  %p = stablehlo.multiply %d, %sb : tensor<256x1000xf32>
  %b = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  return %a, %b : tensor<1000xf32>, tensor<1000xf32>
}
// expect
module {
  func.func public @main(%0: tensor<256x1000xf32>, %1: tensor<256x1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
    %2 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%3: tensor<256x1000xf32>):
      %4 = stablehlo.constant dense<0.0> : tensor<f32>
      %5 = "stablehlo.reduce"(%3, %4) <{dimensions = array<i64: 1>}> ({
      ^bb0(%6: tensor<f32>, %7: tensor<f32>):
        %8 = stablehlo.add %6, %7 : tensor<f32>
        stablehlo.return %8 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<256xf32>
      stablehlo.return %5 : tensor<256xf32>
    }) : (tensor<256x1000xf32>) -> tensor<256xf32>
    %9:2 = "acceld.fusion"(%1, %2) <{kind = reduction}> ({
    ^bb0(%10: tensor<256x1000xf32>, %11: tensor<256xf32>):
      %12 = stablehlo.constant dense<0.0> : tensor<f32>
      %13 = "stablehlo.reduce"(%10, %12) <{dimensions = array<i64: 0>}> ({
      ^bb0(%14: tensor<f32>, %15: tensor<f32>):
        %16 = stablehlo.add %14, %15 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      %17 = stablehlo.constant dense<0.0> : tensor<f32>
      %18 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<256xf32>) -> tensor<256x1000xf32>
      %19 = stablehlo.multiply %10, %18 : tensor<256x1000xf32>
      %20 = "stablehlo.reduce"(%19, %17) <{dimensions = array<i64: 0>}> ({
      ^bb0(%21: tensor<f32>, %22: tensor<f32>):
        %23 = stablehlo.add %21, %22 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      stablehlo.return %13, %20 : tensor<1000xf32>, tensor<1000xf32>
    }) : (tensor<256x1000xf32>, tensor<256xf32>) -> (tensor<1000xf32>, tensor<1000xf32>)
    return %9#0, %9#1 : tensor<1000xf32>, tensor<1000xf32>
  }
}
