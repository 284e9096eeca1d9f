module @host_callback {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.create_token : !stablehlo.token
    %1:2 = stablehlo.custom_call @acceld.host_callback(%0, %arg0) {api_version = 4 : i32, backend_config = {callback = 0 : i64}, has_side_effect = true} : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)
    %2 = stablehlo.custom_call @acceld.host_callback(%1#1) {backend_config = "callback=1"} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.custom_call @acceld.host_callback(%1#0, %2) {api_version = 4 : i32, backend_config = {callback = 0 : i64}, has_side_effect = true} : (!stablehlo.token, tensor<4xf32>) -> !stablehlo.token
    return %2 : tensor<4xf32>
  }
}
