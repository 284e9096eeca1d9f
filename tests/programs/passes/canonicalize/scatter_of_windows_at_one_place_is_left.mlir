// Index vectors of no elements: nine windows at one place, of which the last one wins.
// run: canonicalize
func.func @main(%x: tensor<4xf32>, %u: tensor<3x3x4xf32>) -> tensor<4xf32> {
  %i = stablehlo.constant dense<0> : tensor<3x3x0xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<3x3x0xi32>, tensor<3x3x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<3x3x4xf32>) -> tensor<4xf32> {
    %2 = stablehlo.constant dense<> : tensor<3x3x0xi32>
    %3 = "stablehlo.scatter"(%0, %2, %1) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 2, update_window_dims = [2]>}> ({
    ^bb0(%4: tensor<f32>, %5: tensor<f32>):
      %6 = stablehlo.add %4, %5 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<4xf32>, tensor<3x3x0xi32>, tensor<3x3x4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
}
