// They are read once, where they are added; the input is not.
// run: isolate-nests
func.func @main(%x: tensor<5xf64>, %i: tensor<40x1xi32>, %u: tensor<40xf32>) -> tensor<5xf64> {
  %v = stablehlo.convert %u : (tensor<40xf32>) -> tensor<40xf64>
  %0 = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) : (tensor<5xf64>, tensor<40x1xi32>, tensor<40xf64>) -> tensor<5xf64>
  return %0 : tensor<5xf64>
}
// expect
module {
  func.func public @main(%0: tensor<5xf64>, %1: tensor<40x1xi32>, %2: tensor<40xf32>) -> tensor<5xf64> {
    %3 = stablehlo.convert %2 : (tensor<40xf32>) -> tensor<40xf64>
    %4 = "acceld.fusion"(%0, %1, %2) <{kind = reduction}> ({
    ^bb0(%5: tensor<5xf64>, %6: tensor<40x1xi32>, %7: tensor<40xf32>):
      %8 = stablehlo.convert %7 : (tensor<40xf32>) -> tensor<40xf64>
      %9 = "stablehlo.scatter"(%5, %6, %8) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
      ^bb0(%10: tensor<f64>, %11: tensor<f64>):
        %12 = stablehlo.add %10, %11 : tensor<f64>
        stablehlo.return %12 : tensor<f64>
      }) : (tensor<5xf64>, tensor<40x1xi32>, tensor<40xf64>) -> tensor<5xf64>
      stablehlo.return %9 : tensor<5xf64>
    }) : (tensor<5xf64>, tensor<40x1xi32>, tensor<40xf32>) -> tensor<5xf64>
    return %4 : tensor<5xf64>
  }
}
