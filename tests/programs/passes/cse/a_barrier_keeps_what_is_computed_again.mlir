// What is computed from the results of a barrier stays beside what is computed from its operands.
// run: cse
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.optimization_barrier %x : tensor<4xf32>
  %2 = stablehlo.sine %1 : tensor<4xf32>
  %3 = stablehlo.sine %1 : tensor<4xf32>
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %1 = stablehlo.sine %0 : tensor<4xf32>
    %2 = stablehlo.optimization_barrier %0 : tensor<4xf32>
    %3 = stablehlo.sine %2 : tensor<4xf32>
    return %1, %3, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
