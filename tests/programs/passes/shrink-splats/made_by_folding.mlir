// What constant folding leaves as a splat is shrunk after it.
// run: fold-constants, shrink-splats, dce
func.func @main(%x: tensor<100xf32>) -> tensor<100xf32> {
  %a = stablehlo.constant dense<3.0> : tensor<100xf32>
  %b = stablehlo.constant dense<4.0> : tensor<100xf32>
  %c = stablehlo.multiply %a, %b : tensor<100xf32>
  %0 = stablehlo.add %x, %c : tensor<100xf32>
  return %0 : tensor<100xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100xf32>) -> tensor<100xf32> {
    %1 = stablehlo.constant dense<12.0> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %3 = stablehlo.add %0, %2 : tensor<100xf32>
    return %3 : tensor<100xf32>
  }
}
