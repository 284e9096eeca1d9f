module @jit_function attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x32xf32>) -> (tensor<8x32xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<8x32xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {"y"}]> : tensor<8x32xf32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32xf32>
    %4 = stablehlo.add %2, %3 : tensor<8x32xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{"y", "x"}, {}]> : tensor<8x32xf32>
    return %5 : tensor<8x32xf32>
  }
}
