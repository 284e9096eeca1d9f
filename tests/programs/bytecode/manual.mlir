module @manual attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=1, "b"=1]>
  func.func public @main(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %0:2 = sdy.manual_computation(%arg0, %arg0) in_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{"b"}, {}]>] manual_axes={"a", "b"} (%arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %3 = stablehlo.add %arg3, %arg4 : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %2 = stablehlo.add %arg2, %1 : tensor<4x6xf32>
      sdy.sharding_group %2 group_id=1 : tensor<4x6xf32>
      sdy.return %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>
    } : (tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xf32>
  }
}
