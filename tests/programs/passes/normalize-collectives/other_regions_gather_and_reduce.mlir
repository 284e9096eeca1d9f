// A region that is not one simple op: the values of the group are reduced in its order, from no initial
// value.
// run: normalize-collectives
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// expect
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%0: tensor<3xf32>) -> tensor<3xf32> {
    %1 = stablehlo.reshape %0 : (tensor<3xf32>) -> tensor<1x3xf32>
    %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1x3xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.constant dense<true> : tensor<2x3xi1>
    %4 = stablehlo.constant dense<0.0> : tensor<f32>
    %5 = stablehlo.constant dense<false> : tensor<i1>
    %6:2 = "stablehlo.reduce"(%2, %3, %4, %5) <{dimensions = array<i64: 0>}> ({
    ^bb0(%7: tensor<f32>, %8: tensor<i1>, %9: tensor<f32>, %10: tensor<i1>):
      %11 = stablehlo.subtract %7, %9 : tensor<f32>
      %12 = stablehlo.and %8, %10 : tensor<i1>
      %13 = stablehlo.select %8, %7, %9 : tensor<i1>, tensor<f32>
      %14 = stablehlo.select %12, %11, %13 : tensor<i1>, tensor<f32>
      %15 = stablehlo.or %8, %10 : tensor<i1>
      stablehlo.return %14, %15 : tensor<f32>, tensor<i1>
    }) : (tensor<2x3xf32>, tensor<2x3xi1>, tensor<f32>, tensor<i1>) -> (tensor<3xf32>, tensor<3xi1>)
    return %6#0 : tensor<3xf32>
  }
}
