// A barrier lets constants through, and keeps other values apart from those that are computed from its results.
// run: canonicalize
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %0:2 = stablehlo.optimization_barrier %two, %x : tensor<4xf32>, tensor<4xf32>
  %1 = stablehlo.multiply %0#1, %0#0 : tensor<4xf32>
  %2 = stablehlo.multiply %x, %two : tensor<4xf32>
  %3 = stablehlo.optimization_barrier %two : tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %1 = stablehlo.constant dense<2.0> : tensor<4xf32>
    %2 = stablehlo.optimization_barrier %0 : tensor<4xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<4xf32>
    %4 = stablehlo.multiply %0, %1 : tensor<4xf32>
    return %3, %4, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
