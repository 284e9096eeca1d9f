module @shardings attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @permuted = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  sdy.mesh @single = <[], device_ids=[3]>
  func.func public @main(%arg0: tensor<8x16xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2}p0, {"y":(2)2, ?}p3]>}, %arg1: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], replicated={"x"}>}, tensor<8x16xf32>, tensor<8x16xf32>) {
    %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@permuted, [{}, {}], unreduced={"y"}> : tensor<8x16xf32>
    %2 = sdy.reshard %1 <mesh<["z"=8]>, [{"z":(2)4}, {}]> : tensor<8x16xf32>
    sdy.sharding_group %2 group_id=5 : tensor<8x16xf32>
    %3 = sdy.named_computation<"foo">(%arg1, %2) in_shardings=[<@mesh, [{"x"}, {?}]>, <@mesh, [{?}, {?}]>] (%arg2: tensor<8x16xf32>, %arg3: tensor<8x16xf32>) {
      %6 = stablehlo.multiply %arg2, %arg3 : tensor<8x16xf32>
      sdy.return %6 : tensor<8x16xf32>
    } : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = sdy.propagation_barrier %3 allowed_direction=FORWARD : tensor<8x16xf32>
    %5 = stablehlo.custom_call @foo(%4) {has_side_effect = true, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}, custom>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0, %4, %5 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
