module @random {
  func.func public @main(%0: tensor<7xf32>, %1: tensor<7xf32>, %2: tensor<f32>) -> (tensor<7xf32>, tensor<7xf32>) {
    %3 = stablehlo.concatenate %0, %1, %0, dim = 0 : (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<21xf32>
    return %1, %1 : tensor<7xf32>, tensor<7xf32>
  }
}
