module @manual attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x4xf32>, %b: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
    %0:2 = sdy.manual_computation(%a, %b) in_shardings=[<@m, [{"x"}, {?}]>, <@m, [{}]>] out_shardings=[<@m, [{"x"}, {}]>, <@m, [{"y"}]>] manual_axes={"x", "y"} (%c: tensor<4x4xf32>, %d: tensor<4xf32>) {
      %1 = "stablehlo.all_reduce"(%c) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %2 = "stablehlo.collective_permute"(%d) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
      %3 = stablehlo.slice %2 [0:2] : (tensor<4xf32>) -> tensor<2xf32>
      sdy.return %1, %3 : tensor<4x4xf32>, tensor<2xf32>
    } : (tensor<8x4xf32>, tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
    return %0#0, %0#1 : tensor<8x4xf32>, tensor<4xf32>
  }
}
