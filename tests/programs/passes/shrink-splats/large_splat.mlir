// A large constant with one repeated element is a broadcast of a scalar.
// run: shrink-splats
func.func @main(%x: tensor<100x100xf32>) -> tensor<100x100xf32> {
  %c = stablehlo.constant dense<2.5> : tensor<100x100xf32>
  %0 = stablehlo.multiply %x, %c : tensor<100x100xf32>
  return %0 : tensor<100x100xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100x100xf32>) -> tensor<100x100xf32> {
    %1 = stablehlo.constant dense<2.5> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<100x100xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<100x100xf32>
    return %3 : tensor<100x100xf32>
  }
}
