module @random {
  func.func public @main() -> (tensor<8xi32>, tensor<8xi32>) {
    %0 = stablehlo.constant dense<-3> : tensor<8xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xi32>) -> tensor<8xi32>
    return %1, %1 : tensor<8xi32>, tensor<8xi32>
  }
}
