module @random {
  func.func public @main(%0: tensor<3xi4>, %1: tensor<3xi4>) -> (tensor<3xi4>, tensor<3xi4>, tensor<3xi4>) {
    %2 = stablehlo.concatenate %0, dim = 0 : (tensor<3xi4>) -> tensor<3xi4>
    return %1, %1, %0 : tensor<3xi4>, tensor<3xi4>, tensor<3xi4>
  }
}
