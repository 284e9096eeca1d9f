module @collectives attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x4xf32>, %arg1: tensor<3xi32>, %arg2: tensor<1xi32>) -> (tensor<2x4xf32>, tensor<3xi32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %0:2 = "stablehlo.all_gather"(%arg0, %arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> : (tensor<2x4xf32>, tensor<3xi32>) -> (tensor<2x4xf32>, tensor<3xi32>)
    %1 = "stablehlo.all_reduce"(%0#0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 1>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %10 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = "stablehlo.reduce_scatter"(%1) <{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 1 : i64}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %10 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = "stablehlo.all_to_all"(%2) <{concat_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 0 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.collective_permute"(%3) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = "stablehlo.collective_permute"(%3) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = "stablehlo.collective_broadcast"(%4) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = "stablehlo.collective_broadcast"(%6, %arg2) <{has_dynamic_root, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2x4xf32>
    %8 = "stablehlo.collective_reduce"(%7) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %10 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %9 = "stablehlo.cross-replica-sum"(%8) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0#0, %0#1, %1, %2, %3, %4, %5, %7, %8, %9 : tensor<2x4xf32>, tensor<3xi32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  }
}
