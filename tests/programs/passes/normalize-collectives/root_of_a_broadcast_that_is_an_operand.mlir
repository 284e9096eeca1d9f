// The value of the root is one of those of the whole group.
// run: normalize-collectives
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %root = stablehlo.constant dense<1> : tensor<1xi32>
    %0 = "stablehlo.collective_broadcast"(%x, %root) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// expect
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%0: tensor<3xf32>) -> tensor<3xf32> {
    %1 = stablehlo.constant dense<1> : tensor<1xi32>
    %2 = stablehlo.reshape %0 : (tensor<3xf32>) -> tensor<1x3xf32>
    %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x3xf32>) -> tensor<2x3xf32>
    %4 = stablehlo.slice %1 [0:1] : (tensor<1xi32>) -> tensor<1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1xi32>) -> tensor<i32>
    %6 = stablehlo.convert %5 : (tensor<i32>) -> tensor<i64>
    %7 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.dynamic_slice %3, %6, %7, sizes = [1, 3] : (tensor<2x3xf32>, tensor<i64>, tensor<i64>) -> tensor<1x3xf32>
    %9 = stablehlo.reshape %8 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %9 : tensor<3xf32>
  }
}
