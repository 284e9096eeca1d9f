// What is made of the sums of rows needs a sum of columns that needs them too: no one kernel.
// run: fuse, fuse-rows
func.func @main(%x: tensor<64x1000xf32>) -> (tensor<1000xf32>, tensor<64x1000xf32>, tensor<64x1000xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %d = stablehlo.subtract %x, %sb : tensor<64x1000xf32>
  %c = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %y = stablehlo.divide %x, %sb : tensor<64x1000xf32>
  %cb = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<1000xf32>) -> tensor<64x1000xf32>
  %w = stablehlo.multiply %sb, %cb : tensor<64x1000xf32>
  return %c, %y, %w : tensor<1000xf32>, tensor<64x1000xf32>, tensor<64x1000xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x1000xf32>) -> (tensor<1000xf32>, tensor<64x1000xf32>, tensor<64x1000xf32>) {
    %1 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<64x1000xf32>):
      %3 = stablehlo.constant dense<0.0> : tensor<f32>
      %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 1>}> ({
      ^bb0(%5: tensor<f32>, %6: tensor<f32>):
        %7 = stablehlo.add %5, %6 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
      stablehlo.return %4 : tensor<64xf32>
    }) : (tensor<64x1000xf32>) -> tensor<64xf32>
    %8 = "acceld.fusion"(%1, %0) <{kind = reduction}> ({
    ^bb0(%9: tensor<64xf32>, %10: tensor<64x1000xf32>):
      %11 = stablehlo.constant dense<0.0> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %13 = stablehlo.subtract %10, %12 : tensor<64x1000xf32>
      %14 = "stablehlo.reduce"(%13, %11) <{dimensions = array<i64: 0>}> ({
      ^bb0(%15: tensor<f32>, %16: tensor<f32>):
        %17 = stablehlo.add %15, %16 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<64x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      stablehlo.return %14 : tensor<1000xf32>
    }) : (tensor<64xf32>, tensor<64x1000xf32>) -> tensor<1000xf32>
    %18:2 = "acceld.fusion"(%1, %0, %8) ({
    ^bb0(%19: tensor<64xf32>, %20: tensor<64x1000xf32>, %21: tensor<1000xf32>):
      %22 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %23 = stablehlo.divide %20, %22 : tensor<64x1000xf32>
      %24 = stablehlo.broadcast_in_dim %21, dims = [1] : (tensor<1000xf32>) -> tensor<64x1000xf32>
      %25 = stablehlo.multiply %22, %24 : tensor<64x1000xf32>
      stablehlo.return %23, %25 : tensor<64x1000xf32>, tensor<64x1000xf32>
    }) : (tensor<64xf32>, tensor<64x1000xf32>, tensor<1000xf32>) -> (tensor<64x1000xf32>, tensor<64x1000xf32>)
    return %8, %18#0, %18#1 : tensor<1000xf32>, tensor<64x1000xf32>, tensor<64x1000xf32>
  }
}
