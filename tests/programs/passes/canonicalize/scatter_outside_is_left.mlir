// The window does not lie inside, so a scatter leaves the operand as it is, whereas an update of a slice would move it.
// run: canonicalize
func.func @main(%x: tensor<8xf32>, %u: tensor<3xf32>) -> tensor<8xf32> {
  %i = stablehlo.constant dense<6> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8xf32>, %1: tensor<3xf32>) -> tensor<8xf32> {
    %2 = stablehlo.constant dense<6> : tensor<1xi32>
    %3 = "stablehlo.scatter"(%0, %2, %1) <{scatter_dimension_numbers = #stablehlo.scatter<scatter_dims_to_operand_dims = [0], update_window_dims = [0]>}> ({
    ^bb0(%4: tensor<f32>, %5: tensor<f32>):
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<8xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
