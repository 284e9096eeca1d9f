// A row of exponentials that is broadcast to many rows is computed once, in a loop of its own.
// run: fuse
func.func @main(%x: tensor<512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.exponential %x : tensor<512xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<512xf32>) -> tensor<512x512xf32>
  %2 = stablehlo.negate %1 : tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}
// expect
module {
  func.func public @main(%0: tensor<512xf32>) -> tensor<512x512xf32> {
    %1 = stablehlo.exponential %0 : tensor<512xf32>
    %2 = "acceld.fusion"(%1) ({
    ^bb0(%3: tensor<512xf32>):
      %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<512xf32>) -> tensor<512x512xf32>
      %5 = stablehlo.negate %4 : tensor<512x512xf32>
      stablehlo.return %5 : tensor<512x512xf32>
    }) : (tensor<512xf32>) -> tensor<512x512xf32>
    return %2 : tensor<512x512xf32>
  }
}
