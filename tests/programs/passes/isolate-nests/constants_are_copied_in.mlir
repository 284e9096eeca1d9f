// A scalar constant from around is copied into the region.
// run: isolate-nests
func.func @main(%x: tensor<4x6xf32>, %z: tensor<f32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %b, %two : tensor<f32>
    %2 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4x6xf32>, %1: tensor<f32>) -> tensor<4xf32> {
    %2 = stablehlo.constant dense<2.0> : tensor<f32>
    %3 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%4: tensor<f32>, %5: tensor<f32>):
      %6 = stablehlo.constant dense<2.0> : tensor<f32>
      %7 = stablehlo.multiply %5, %6 : tensor<f32>
      %8 = stablehlo.add %4, %7 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}
