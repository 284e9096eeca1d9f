// Partial sums of f16 are f32; the result rounds once.
// run: split-reductions
func.func @main(%x: tensor<524288xf16>, %z: tensor<f16>) -> tensor<f16> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<524288xf16>, tensor<f16>) -> tensor<f16>
  return %0 : tensor<f16>
}
// expect
module {
  func.func public @main(%0: tensor<524288xf16>, %1: tensor<f16>) -> tensor<f16> {
    %2 = stablehlo.convert %0 : (tensor<524288xf16>) -> tensor<524288xf32>
    %3 = stablehlo.convert %1 : (tensor<f16>) -> tensor<f32>
    %4 = stablehlo.constant dense<-0.0> : tensor<f32>
    %5 = stablehlo.reshape %2 : (tensor<524288xf32>) -> tensor<64x8192xf32>
    %6 = "stablehlo.reduce"(%5, %4) <{dimensions = array<i64: 1>}> ({
    ^bb0(%7: tensor<f32>, %8: tensor<f32>):
      %9 = stablehlo.add %7, %8 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<64x8192xf32>, tensor<f32>) -> tensor<64xf32>
    %10 = "stablehlo.reduce"(%6, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%11: tensor<f32>, %12: tensor<f32>):
      %13 = stablehlo.add %11, %12 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    %14 = stablehlo.convert %10 : (tensor<f32>) -> tensor<f16>
    return %14 : tensor<f16>
  }
}
