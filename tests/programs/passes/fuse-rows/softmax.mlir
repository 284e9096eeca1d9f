// The maximum, the exponentials and their sum of a row are made while the row is at hand.
// run: fuse, fuse-rows
func.func @main(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x1000xf32>
  %e = stablehlo.exponential %d : tensor<64x1000xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %r = stablehlo.divide %e, %sb : tensor<64x1000xf32>
  return %r : tensor<64x1000xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
    %1 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<64x1000xf32>):
      %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 1>}> ({
      ^bb0(%5: tensor<f32>, %6: tensor<f32>):
        %7 = stablehlo.maximum %5, %6 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
      %8 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %9 = stablehlo.subtract %2, %8 : tensor<64x1000xf32>
      %10 = stablehlo.exponential %9 : tensor<64x1000xf32>
      %11 = stablehlo.constant dense<0.0> : tensor<f32>
      %12 = "stablehlo.reduce"(%10, %11) <{dimensions = array<i64: 1>}> ({
      ^bb0(%13: tensor<f32>, %14: tensor<f32>):
        %15 = stablehlo.add %13, %14 : tensor<f32>
        stablehlo.return %15 : tensor<f32>
      }) : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
      %16 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %17 = stablehlo.divide %10, %16 : tensor<64x1000xf32>
      stablehlo.return %17 : tensor<64x1000xf32>
    }) : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
    return %1 : tensor<64x1000xf32>
  }
}
