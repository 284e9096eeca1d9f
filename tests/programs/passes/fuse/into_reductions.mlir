// Elementwise producers run inside the reduction that reads them.
// run: fuse
func.func @main(%x: tensor<64x32xf32>) -> tensor<64xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<64x32xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<64x32xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x32xf32>) -> tensor<64xf32> {
    %1 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<64x32xf32>):
      %3 = stablehlo.constant dense<0.0> : tensor<f32>
      %4 = stablehlo.exponential %2 : tensor<64x32xf32>
      %5 = stablehlo.multiply %4, %4 : tensor<64x32xf32>
      %6 = "stablehlo.reduce"(%5, %3) <{dimensions = array<i64: 1>}> ({
      ^bb0(%7: tensor<f32>, %8: tensor<f32>):
        %9 = stablehlo.add %7, %8 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<64x32xf32>, tensor<f32>) -> tensor<64xf32>
      stablehlo.return %6 : tensor<64xf32>
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    return %1 : tensor<64xf32>
  }
}
