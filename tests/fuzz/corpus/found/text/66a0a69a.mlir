module @random {
  func.func public @main(%0: tensor<f64>, %1: tensor<2x33x7x1xi32>) -> (tensor<4x7xui8>, tensor<4x7xui8>, tensor<2x33x7x1xi32>, tensor<4x7xui8>) {
    %2 = stablehlo.constant dense<18446744073709551613> : tensor<2xui64>
    %3:2 = stablehlo.rng_bit_generator %2, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x7xui8>)
    return %3#1, %3#1, %1, %3#1 : tensor<4x7xui8>, tensor<4x7xui8>, tensor<2x33x7x1xi32>, tensor<4x7xui8>
  }
}
