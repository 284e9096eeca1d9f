module @calls {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.composite "x.y" %arg0 {composite_attributes = {f = 1.5000, uplo = 76 : ui8}} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @bar(%arg0) {api_ves = #sta s = "t", v = dense<[1, 2]> : tensor<2xi64>}ecofposition  %2 = stact 
}
