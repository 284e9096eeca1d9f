// Reshapes of reshapes, and back to where they began.
// run: canonicalize
func.func @main(%x: tensor<2x6xf32>) -> (tensor<12xf32>, tensor<2x6xf32>) {
  %0 = stablehlo.reshape %x : (tensor<2x6xf32>) -> tensor<3x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x4xf32>) -> tensor<12xf32>
  %2 = stablehlo.reshape %1 : (tensor<12xf32>) -> tensor<2x6xf32>
  return %1, %2 : tensor<12xf32>, tensor<2x6xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x6xf32>) -> (tensor<12xf32>, tensor<2x6xf32>) {
    %1 = stablehlo.reshape %0 : (tensor<2x6xf32>) -> tensor<3x4xf32>
    %2 = stablehlo.reshape %0 : (tensor<2x6xf32>) -> tensor<12xf32>
    return %2, %0 : tensor<12xf32>, tensor<2x6xf32>
  }
}
