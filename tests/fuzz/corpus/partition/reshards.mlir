module @reshards attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y", "x"}, {}]>}, tensor<8x8xf32>) {
    %0 = sdy.all_gather [{}, {"y"}] %a out_sharding=<@m, [{"x"}, {}]> : tensor<8x8xf32>
    %1 = sdy.reshard %a <@m, [{"y", "x"}, {}]> : tensor<8x8xf32>
    %2 = sdy.sharding_constraint %0 <@m, [{}, {}], unreduced={"y"}> : tensor<8x8xf32>
    %3 = sdy.propagation_barrier %2 allowed_direction=FORWARD : tensor<8x8xf32>
    return %0, %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
}
