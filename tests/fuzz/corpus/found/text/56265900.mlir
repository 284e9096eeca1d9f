module @random {
  func.func public @main(%0: tensor<8xi1>, %1: tensor<33x1x8xi1>, %2: tensor<33x1x8xi1>) -> (tensor<2xi32>, tensor<33x1x8xi1>, tensor<1xi1>, tensor<1xi1>) {
    %3 = stablehlo.constant dense<false> : tensor<1xi1>
    %4 = stablehlo.constant dense<[5, -2]> : tensor<2xi32>
    %5 = "stablehlo.scatter"(%1, %4, %3) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 2], scatter_dims_to_operand_dims = [1, 2], update_window_dims = [0]>}> ({
    ^bb0(%6: tensor<i1>, %7: tensor<i1>):
      %8 = stablehlo.constant dense<false> : tensor<i1>
      %9 = stablehlo.add %7, %8 : tensor<i1>
      %10 = stablehlo.minimum %6, %9 : tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<33x1x8xi1>, tensor<2xi32>, tensor<1xi1>) -> tensor<33x1x8xi1>
    return %4, %2, %3, %3 : tensor<2xi32>, tensor<33x1x8xi1>, tensor<1xi1>, tensor<1xi1>
  }
}
