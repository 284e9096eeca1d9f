module @jit__lambda attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result[0]"}, tensor<i64> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %c_0 = stablehlo.constant dense<5> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg0, %iterArg_3 = %c_1) : tensor<3xf32>, tensor<3xf32>, tensor<i64>
    cond {
      %1 = stablehlo.compare LT, %iterArg_3, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.multiply %iterArg_2, %iterArg : tensor<3xf32>
      %2 = stablehlo.add %iterArg_3, %c : tensor<i64>
      stablehlo.return %iterArg, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<i64>
    }
    return %0#1, %0#2 : tensor<3xf32>, tensor<i64>
  }
}
