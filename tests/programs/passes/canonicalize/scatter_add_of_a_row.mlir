// x.at[3].add(u): the row's old elements and the updates are combined as arrays.
// run: canonicalize
func.func @main(%x: tensor<8x9xf32>, %u: tensor<9xf32>) -> tensor<8x9xf32> {
  %i = stablehlo.constant dense<3> : tensor<1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8x9xf32>, tensor<1xi32>, tensor<9xf32>) -> tensor<8x9xf32>
  return %0 : tensor<8x9xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x9xf32>, %1: tensor<9xf32>) -> tensor<8x9xf32> {
    %2 = stablehlo.constant dense<3> : tensor<1xi32>
    %3 = stablehlo.reshape %1 : (tensor<9xf32>) -> tensor<1x9xf32>
    %4 = stablehlo.slice %0 [3:4, 0:9] : (tensor<8x9xf32>) -> tensor<1x9xf32>
    %5 = stablehlo.subtract %4, %3 : tensor<1x9xf32>
    %6 = stablehlo.constant dense<3> : tensor<i64>
    %7 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.dynamic_update_slice %0, %5, %6, %7 : (tensor<8x9xf32>, tensor<1x9xf32>, tensor<i64>, tensor<i64>) -> tensor<8x9xf32>
    return %8 : tensor<8x9xf32>
  }
}
