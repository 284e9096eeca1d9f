module @random {
  func.func public @main(%0: tensor<3xbf16>) -> (tensor<3xbf16>, tensor<ui32>, tensor<3xbf16>) {
    %1 = stablehlo.constant dense<3> : tensor<ui32>
    %2 = stablehlo.dynamic_slice %0, %1, sizes = [2] : (tensor<3xbf16>, tensor<ui32>) -> tensor<2xbf16>
    return %0, %1, %0 : tensor<3xbf16>, tensor<ui32>, tensor<3xbf16>
  }
}
