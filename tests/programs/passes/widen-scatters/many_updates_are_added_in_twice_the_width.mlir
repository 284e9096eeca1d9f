// Eight updates or more for each element.
// run: widen-scatters
func.func @main(%x: tensor<500xf32>, %i: tensor<4000x1xi32>, %u: tensor<4000xf32>, %c: tensor<500xcomplex<f32>>, %w: tensor<4000xcomplex<f32>>) -> (tensor<500xf32>, tensor<500xcomplex<f32>>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<500xf32>, tensor<4000x1xi32>, tensor<4000xf32>) -> tensor<500xf32>
  %1 = "stablehlo.scatter"(%c, %i, %w) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %s = stablehlo.add %a, %b : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<500xcomplex<f32>>, tensor<4000x1xi32>, tensor<4000xcomplex<f32>>) -> tensor<500xcomplex<f32>>
  return %0, %1 : tensor<500xf32>, tensor<500xcomplex<f32>>
}
// expect
module {
  func.func public @main(%0: tensor<500xf32>, %1: tensor<4000x1xi32>, %2: tensor<4000xf32>, %3: tensor<500xcomplex<f32>>, %4: tensor<4000xcomplex<f32>>) -> (tensor<500xf32>, tensor<500xcomplex<f32>>) {
    %5 = stablehlo.convert %0 : (tensor<500xf32>) -> tensor<500xf64>
    %6 = stablehlo.convert %2 : (tensor<4000xf32>) -> tensor<4000xf64>
    %7 = "stablehlo.scatter"(%5, %1, %6) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%8: tensor<f64>, %9: tensor<f64>):
      %10 = stablehlo.add %8, %9 : tensor<f64>
      stablehlo.return %10 : tensor<f64>
    }) : (tensor<500xf64>, tensor<4000x1xi32>, tensor<4000xf64>) -> tensor<500xf64>
    %11 = stablehlo.convert %7 : (tensor<500xf64>) -> tensor<500xf32>
    %12 = stablehlo.convert %3 : (tensor<500xcomplex<f32>>) -> tensor<500xcomplex<f64>>
    %13 = stablehlo.convert %4 : (tensor<4000xcomplex<f32>>) -> tensor<4000xcomplex<f64>>
    %14 = "stablehlo.scatter"(%12, %1, %13) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%15: tensor<complex<f64>>, %16: tensor<complex<f64>>):
      %17 = stablehlo.add %15, %16 : tensor<complex<f64>>
      stablehlo.return %17 : tensor<complex<f64>>
    }) : (tensor<500xcomplex<f64>>, tensor<4000x1xi32>, tensor<4000xcomplex<f64>>) -> tensor<500xcomplex<f64>>
    %18 = stablehlo.convert %14 : (tensor<500xcomplex<f64>>) -> tensor<500xcomplex<f32>>
    return %11, %18 : tensor<500xf32>, tensor<500xcomplex<f32>>
  }
}
