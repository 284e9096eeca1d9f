module @random {
  func.func public @main(%0: tensor<2x16xui16>, %1: tensor<2x16xui16>, %2: tensor<2x16xui16>) -> (tensor<2xui64>, tensor<2x16xui16>) {
    %3 = stablehlo.constant dense<[[0], [3]]> : tensor<2x1xui8>
    %4 = "stablehlo.torch_index_select"(%1, %3) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<2x16xui16>, tensor<2x1xui8>) -> tensor<2x1xui16>
    %5 = stablehlo.constant dense<[4, 18446744073709551613]> : tensor<2xui64>
    %6:2 = stablehlo.rng_bit_generator %5, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<17xui32>)
    %7 = stablehlo.constant dense<5> : tensor<1xui64>
    %8 = stablehlo.constant dense<3> : tensor<ui64>
    %9 = "stablehlo.select_and_scatter"(%5, %7, %8) <{padding = dense<[[1, -1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 1>, window_strides = array<i64: 2>}> ({
    ^bb0(%10: tensor<ui64>, %11: tensor<ui64>):
      %12 = stablehlo.compare GT, %10, %11 : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    }, {
    ^bb0(%13: tensor<ui64>, %14: tensor<ui64>):
      %15 = stablehlo.maximum %13, %14 : tensor<ui64>
      stablehlo.return %15 : tensor<ui64>
    }) : (tensor<2xui64>, tensor<1xui64>, tensor<ui64>) -> tensor<2xui64>
    return %6#0, %2 : tensor<2xui64>, tensor<2x16xui16>
  }
}
