// What was computed again from the results of a barrier stays, though the barrier is gone.
// run: drop-barriers
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %x : tensor<4xf32>
  %2 = stablehlo.sine %1 : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = stablehlo.sine %0 : tensor<4xf32>
    %2 = stablehlo.sine %0 : tensor<4xf32>
    return %1, %2 : tensor<4xf32>, tensor<4xf32>
  }
}
