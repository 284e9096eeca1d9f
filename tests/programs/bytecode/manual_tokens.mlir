module @manual_tokens attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.create_token : !stablehlo.token
    %1:2 = sdy.manual_computation(%0, %arg0) in_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg1: !stablehlo.token, %arg2: tensor<2x6xf32>) {
      %2 = stablehlo.after_all %arg1, %arg1 : !stablehlo.token
      %3 = stablehlo.negate %arg2 : tensor<2x6xf32>
      sdy.return %2, %3 : !stablehlo.token, tensor<2x6xf32>
    } : (!stablehlo.token, tensor<4x6xf32>) -> (!stablehlo.token, tensor<4x6xf32>)
    return %1#1 : tensor<4x6xf32>
  }
}
