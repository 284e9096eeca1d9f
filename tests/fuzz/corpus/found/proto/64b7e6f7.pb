// Predicates and complex numbers too.
// run: shrink-splats
func.func @main() -> (tensor<17xi1>, tensor<17xcomplex<f32>>, tensor<17xi4>) {
  %a = stablehlo.constant dense<true> : tensor<17xi1>
  %b = stablehlo.constant dense<(1.0, -2.0)> : tensor<17xcomplex<f32>>
  %c = stablehlo.constant dense<-3> : tensor<17xi4>
  return %a, %b, %c : tensor<17xi1>, tensor<17xcomplex<f32>>, tensor<17xi4>
}
