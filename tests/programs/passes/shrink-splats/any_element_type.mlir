// Predicates and complex numbers too.
// run: shrink-splats
func.func @main() -> (tensor<17xi1>, tensor<17xcomplex<f32>>, tensor<17xi4>) {
  %a = stablehlo.constant dense<true> : tensor<17xi1>
  %b = stablehlo.constant dense<(1.0, -2.0)> : tensor<17xcomplex<f32>>
  %c = stablehlo.constant dense<-3> : tensor<17xi4>
  return %a, %b, %c : tensor<17xi1>, tensor<17xcomplex<f32>>, tensor<17xi4>
}
// expect
module {
  func.func public @main() -> (tensor<17xi1>, tensor<17xcomplex<f32>>, tensor<17xi4>) {
    %0 = stablehlo.constant dense<true> : tensor<i1>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i1>) -> tensor<17xi1>
    %2 = stablehlo.constant dense<(1.0,-2.0)> : tensor<complex<f32>>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<complex<f32>>) -> tensor<17xcomplex<f32>>
    %4 = stablehlo.constant dense<-3> : tensor<i4>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i4>) -> tensor<17xi4>
    return %1, %3, %5 : tensor<17xi1>, tensor<17xcomplex<f32>>, tensor<17xi4>
  }
}
