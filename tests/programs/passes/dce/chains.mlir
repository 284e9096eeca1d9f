// A chain that nobody reads goes as a whole.
// run: dce
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = stablehlo.cosine %0 : tensor<4xf32>
  %2 = stablehlo.add %1, %0 : tensor<4xf32>
  %3 = stablehlo.negate %x : tensor<4xf32>
  return %3 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.negate %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
