module @calls {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.composite "x.y" %arg0 {composite_attributes = {f = 1.500000e+00 : f32, n = 1 : i64, s = "t", v = dense<[1, 2]> : tensor<2xi64>}, decomposition = @impl, version = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @foo(%arg0) {mhlo.backend_config = {flag = true, uplo = 76 : ui8}} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @bar(%arg0) {api_version = 2 : i32, backend_config = "opaque", called_computations = [@impl], has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = call @impl(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @impl(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
