// On a GPU the threads of a block share a row, so each stage is a kernel of its own.
// run: fuse, fuse-rows
// target: cuda
func.func @main(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %r = stablehlo.divide %x, %sb : tensor<64x1000xf32>
  return %r : tensor<64x1000xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
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
    %8 = "acceld.fusion"(%1, %0) ({
    ^bb0(%9: tensor<64xf32>, %10: tensor<64x1000xf32>):
      %11 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %12 = stablehlo.divide %10, %11 : tensor<64x1000xf32>
      stablehlo.return %12 : tensor<64x1000xf32>
    }) : (tensor<64xf32>, tensor<64x1000xf32>) -> tensor<64x1000xf32>
    return %8 : tensor<64x1000xf32>
  }
}
