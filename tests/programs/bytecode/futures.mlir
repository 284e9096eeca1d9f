module @futures {
  func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<2x6xf32>) {
    %0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<4x6xf32>):
      %4 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4x6xf32>) -> tensor<4x6xf32>
      stablehlo.return %4 : tensor<4x6xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<4x6xf32>>
    %1 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<4x6xf32>):
      %4 = stablehlo.slice %arg1 [1:3, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
      stablehlo.return %4 : tensor<2x6xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<2x6xf32>>
    %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4x6xf32>>) -> tensor<4x6xf32>
    %3 = "stablehlo.async_done"(%1) : (!stablehlo.future<tensor<2x6xf32>>) -> tensor<2x6xf32>
    return %2, %3 : tensor<4x6xf32>, tensor<2x6xf32>
  }
}
