// x.at[1:-1, 2:5].set(u): the window is known to lie inside, so it is an update of a slice.
// run: canonicalize
func.func @main(%x: tensor<8x9xf32>, %u: tensor<6x3xf32>) -> tensor<8x9xf32> {
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>, indices_are_sorted = true, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x9xf32>, tensor<2xi32>, tensor<6x3xf32>) -> tensor<8x9xf32>
  return %0 : tensor<8x9xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x9xf32>, %1: tensor<6x3xf32>) -> tensor<8x9xf32> {
    %2 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %3 = stablehlo.constant dense<1> : tensor<i64>
    %4 = stablehlo.constant dense<2> : tensor<i64>
    %5 = stablehlo.dynamic_update_slice %0, %1, %3, %4 : (tensor<8x9xf32>, tensor<6x3xf32>, tensor<i64>, tensor<i64>) -> tensor<8x9xf32>
    return %5 : tensor<8x9xf32>
  }
}
