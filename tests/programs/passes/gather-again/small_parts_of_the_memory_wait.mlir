// A gathered vector stays beside matrices that take most of the memory.
// run: gather-again
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%v: tensor<32xf32>, %x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32xf32>) -> tensor<64xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = stablehlo.dot_general %2, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %4 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
    %5 = stablehlo.multiply %3, %4 : tensor<64x64xf32>
    return %5 : tensor<64x64xf32>
  }
}
// expect
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%0: tensor<32xf32>, %1: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %2 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32xf32>) -> tensor<64xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
    %4 = stablehlo.dot_general %1, %3, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %5 = stablehlo.dot_general %4, %1, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %6 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<64x64xf32>
    return %7 : tensor<64x64xf32>
  }
}
