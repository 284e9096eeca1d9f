module @prime attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<7x0xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {"y", ?}]>}) -> tensor<0x7xf32> {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<7x0xf32>) -> tensor<0x7xf32>
    return %0 : tensor<0x7xf32>
  }
}
