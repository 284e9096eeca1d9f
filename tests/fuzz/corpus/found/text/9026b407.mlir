module @random {
  func.func public @main(%0: tensor<7xi64>) -> (tensor<2x1xi32>, tensor<i8>) {
    %1 = stablehlo.constant dense<4> : tensor<2x1xi32>
    %2 = "stablehlo.torch_index_select"(%0, %1) : (tensor<7xi64>, tensor<2x1xi32>) -> tensor<2x1xi64>
    %3 = stablehlo.constant dense<5> : tensor<i8>
    %4 = stablehlo.dynamic_slice %1, %3, %3, sizes = [1, 1] : (tensor<2x1xi32>, tensor<i8>, tensor<i8>) -> tensor<1x1xi32>
    return %1, %3 : tensor<2x1xi32>, tensor<i8>
  }
}
