// All processes but the root of a group get zeros, those outside of the groups too.
// run: normalize-collectives
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.collective_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[2, 0]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// expect
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%0: tensor<3xf32>) -> tensor<3xf32> {
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[2, 0], [1, -1], [3, -1]]> : tensor<3x2xi64>, use_global_device_ids}> ({
    ^bb0(%2: tensor<f32>, %3: tensor<f32>):
      %4 = stablehlo.add %2, %3 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %5 = stablehlo.constant dense<true> : tensor<i1>
    %6 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[2, 2]]> : tensor<1x2xi64>}> : (tensor<i1>) -> tensor<i1>
    %7 = stablehlo.constant dense<0.0> : tensor<3xf32>
    %8 = stablehlo.select %6, %1, %7 : tensor<i1>, tensor<3xf32>
    return %8 : tensor<3xf32>
  }
}
