module @random {
  func.func public @main() -> tensor<5x33xf32> {
    %0 = stablehlo.constant dense<-0.5> : tensor<5x33xf32>
    %1 = stablehlo.reverse %0, dims = [] : tensor<5x33xf32>
    %2 = stablehlo.constant dense<0.75> : tensor<f32>
    %3 = stablehlo.pad %0, %2, low = [0, 0], high = [2, -1], interior = [0, 2] : (tensor<5x33xf32>, tensor<f32>) -> tensor<7x96xf32>
    return %0 : tensor<5x33xf32>
  }
}
