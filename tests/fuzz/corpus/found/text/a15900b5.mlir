module @random {
  func.func public @main(%0: tensor<f64>, %1: tensor<f64>, %2: tensor<1x7x1xui64>) -> tensor<f64> {
    %3 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<f64>
    %4 = stablehlo.slice %3 [] : (tensor<f64>) -> tensor<f64>
    %5 = stablehlo.convert %3 : (tensor<f64>) -> tensor<f8E4M3FNUZ>
    %6 = stablehlo.constant dense<-1.75> : tensor<f64>
    %7 = stablehlo.clamp %6, %0, %6 : tensor<f64>
    return %7 : tensor<f64>
  }
}
