// The position in the group is made of bits, each of which some processes send to themselves.
// run: normalize-collectives
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %root = stablehlo.constant dense<1> : tensor<1xi64>
    %0 = "stablehlo.collective_reduce"(%x, %root) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, has_dynamic_root, replica_groups = dense<[[0, 1], [3, 2]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// expect
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 2 : i32} {
  func.func public @main(%0: tensor<2xf32>) -> tensor<2xf32> {
    %1 = stablehlo.constant dense<1> : tensor<1xi64>
    %2 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [3, 2]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>):
      %5 = stablehlo.add %3, %4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %6 = stablehlo.constant dense<true> : tensor<i1>
    %7 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.constant dense<true> : tensor<i1>
    %9 = "stablehlo.collective_permute"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<i1>) -> tensor<i1>
    %10 = "stablehlo.collective_permute"(%9) <{source_target_pairs = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<i1>) -> tensor<i1>
    %11 = stablehlo.constant dense<true> : tensor<i1>
    %12 = "stablehlo.collective_permute"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<i1>) -> tensor<i1>
    %13 = "stablehlo.collective_permute"(%12) <{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<i1>) -> tensor<i1>
    %14 = stablehlo.or %10, %13 : tensor<i1>
    %15 = stablehlo.constant dense<1> : tensor<i64>
    %16 = stablehlo.constant dense<0> : tensor<i64>
    %17 = stablehlo.select %14, %15, %16 : tensor<i1>, tensor<i64>
    %18 = stablehlo.add %7, %17 : tensor<i64>
    %19 = stablehlo.slice %1 [0:1] : (tensor<1xi64>) -> tensor<1xi64>
    %20 = stablehlo.reshape %19 : (tensor<1xi64>) -> tensor<i64>
    %21 = stablehlo.compare EQ, %18, %20 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %22 = stablehlo.and %21, %6 : tensor<i1>
    %23 = stablehlo.constant dense<0.0> : tensor<2xf32>
    %24 = stablehlo.select %22, %2, %23 : tensor<i1>, tensor<2xf32>
    return %24 : tensor<2xf32>
  }
}
