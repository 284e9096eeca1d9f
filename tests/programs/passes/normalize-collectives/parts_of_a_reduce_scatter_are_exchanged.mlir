// Each member gets only its parts of the values that it reduces.
// run: normalize-collectives
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<2x4xi32>) -> tensor<2x2xi32> {
    %0 = "stablehlo.reduce_scatter"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.subtract %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<2x4xi32>) -> tensor<2x2xi32>
    return %0 : tensor<2x2xi32>
  }
}
// expect
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%0: tensor<2x4xi32>) -> tensor<2x2xi32> {
    %1 = stablehlo.reshape %0 : (tensor<2x4xi32>) -> tensor<1x2x4xi32>
    %2 = "stablehlo.all_to_all"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 2 : i64}> : (tensor<1x2x4xi32>) -> tensor<2x2x2xi32>
    %3 = stablehlo.constant dense<true> : tensor<2x2x2xi1>
    %4 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.constant dense<false> : tensor<i1>
    %6:2 = "stablehlo.reduce"(%2, %3, %4, %5) <{dimensions = array<i64: 0>}> ({
    ^bb0(%7: tensor<i32>, %8: tensor<i1>, %9: tensor<i32>, %10: tensor<i1>):
      %11 = stablehlo.subtract %7, %9 : tensor<i32>
      %12 = stablehlo.and %8, %10 : tensor<i1>
      %13 = stablehlo.select %8, %7, %9 : tensor<i1>, tensor<i32>
      %14 = stablehlo.select %12, %11, %13 : tensor<i1>, tensor<i32>
      %15 = stablehlo.or %8, %10 : tensor<i1>
      stablehlo.return %14, %15 : tensor<i32>, tensor<i1>
    }) : (tensor<2x2x2xi32>, tensor<2x2x2xi1>, tensor<i32>, tensor<i1>) -> (tensor<2x2xi32>, tensor<2x2xi1>)
    return %6#0 : tensor<2x2xi32>
  }
}
