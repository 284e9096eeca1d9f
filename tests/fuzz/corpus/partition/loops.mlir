module @loops attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<8x8xf32>
      cond {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %w = stablehlo.dot_general %v, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
        stablehlo.return %j, %w : tensor<i32>, tensor<8x8xf32>
      }
    %1 = func.call @twice(%0#1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func private @twice(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.add %a, %a {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {?}]>]>} : tensor<8x8xf32>
    sdy.sharding_group %0 group_id=1 : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
