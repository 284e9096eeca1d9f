// A million equal elements are computed as one.
// run: fold-constants
func.func @main() -> tensor<1000x1000xf32> {
  %a = stablehlo.constant dense<3.0> : tensor<1000x1000xf32>
  %b = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<1000x1000xf32>
  %1 = stablehlo.divide %a, %0 : tensor<1000x1000xf32>
  return %1 : tensor<1000x1000xf32>
}
// expect
module {
  func.func public @main() -> tensor<1000x1000xf32> {
    %0 = stablehlo.constant dense<3.0> : tensor<1000x1000xf32>
    %1 = stablehlo.constant dense<2.0> : tensor<f32>
    %2 = stablehlo.constant dense<2.0> : tensor<1000x1000xf32>
    %3 = stablehlo.constant dense<1.5> : tensor<1000x1000xf32>
    return %3 : tensor<1000x1000xf32>
  }
}
