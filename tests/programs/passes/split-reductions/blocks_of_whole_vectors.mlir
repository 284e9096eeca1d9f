// 64 blocks of 15625 would be equal too, but each would leave elements beyond its vectors.
// run: split-reductions
func.func @main(%x: tensor<1000000xf32>, %a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %a) <{dimensions = array<i64: 0>}> ({
  ^bb0(%1: tensor<f32>, %2: tensor<f32>):
    %3 = stablehlo.add %1, %2 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<1000000xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// expect
module {
  func.func public @main(%0: tensor<1000000xf32>, %1: tensor<f32>) -> tensor<f32> {
    %2 = stablehlo.constant dense<-0.0> : tensor<f32>
    %3 = stablehlo.reshape %0 : (tensor<1000000xf32>) -> tensor<125x8000xf32>
    %4 = "stablehlo.reduce"(%3, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      %7 = stablehlo.add %5, %6 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<125x8000xf32>, tensor<f32>) -> tensor<125xf32>
    %8 = "stablehlo.reduce"(%4, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%9: tensor<f32>, %10: tensor<f32>):
      %11 = stablehlo.add %9, %10 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<125xf32>, tensor<f32>) -> tensor<f32>
    return %8 : tensor<f32>
  }
}
