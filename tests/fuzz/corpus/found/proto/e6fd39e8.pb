module @jit_gram attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5000x5000xf32>) -> (tensor<5000x5000xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<5000x5000xf32>) -> tensor<5000x5000xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5000x5000xf32>, tensor<5000x5000xf32>) -> tensor<5000x5000xf32>
    return %1 : tensor<5000x5000xf32>
  }
}
