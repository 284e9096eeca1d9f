module @reshards attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
    %0 = sdy.all_slice [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x16xf32>
    %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x16xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{}, {"x", "y"}]> : tensor<8x16xf32>
    %3 = sdy.all_gather [{}, {"x", "y"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %4 = sdy.replicated_to_unreduced {"x"} %3 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x16xf32>
    %5 = sdy.all_reduce {"x"} %4 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %6 = sdy.reduce_scatter [{"y"}, {}] %5 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x16xf32>
    %7 = sdy.sharded_to_unreduced [{"y"}, {}] %6 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x16xf32>
    %8 = stablehlo.tanh %arg0 : tensor<8x16xf32>
    %9 = sdy.data_flow_edge %8 sharding=<@mesh, [{"x"}, {?}]> : tensor<8x16xf32>
    %10 = sdy.constant dense<1.000000e+00> : tensor<8x16xf32>
    return %7, %9, %10 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
