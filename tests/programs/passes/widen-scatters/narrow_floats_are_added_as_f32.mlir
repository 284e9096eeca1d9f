// The input is small beside the updates, or filled with one constant.
// run: widen-scatters
func.func @main(%x: tensor<8000xbf16>, %u: tensor<4000xbf16>) -> (tensor<8000xbf16>, tensor<100000xf16>) {
  %i = stablehlo.iota dim = 0 : tensor<4000x1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<8000xbf16>, tensor<4000x1xi32>, tensor<4000xbf16>) -> tensor<8000xbf16>
  %z = stablehlo.constant dense<0.0> : tensor<f16>
  %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f16>) -> tensor<100000xf16>
  %v = stablehlo.convert %u : (tensor<4000xbf16>) -> tensor<4000xf16>
  %1 = "stablehlo.scatter"(%zeros, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %s = stablehlo.add %b, %a : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<100000xf16>, tensor<4000x1xi32>, tensor<4000xf16>) -> tensor<100000xf16>
  return %0, %1 : tensor<8000xbf16>, tensor<100000xf16>
}
// expect
module {
  func.func public @main(%0: tensor<8000xbf16>, %1: tensor<4000xbf16>) -> (tensor<8000xbf16>, tensor<100000xf16>) {
    %2 = stablehlo.iota dim = 0 : tensor<4000x1xi32>
    %3 = stablehlo.convert %0 : (tensor<8000xbf16>) -> tensor<8000xf32>
    %4 = stablehlo.convert %1 : (tensor<4000xbf16>) -> tensor<4000xf32>
    %5 = "stablehlo.scatter"(%3, %2, %4) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%6: tensor<f32>, %7: tensor<f32>):
      %8 = stablehlo.add %6, %7 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<8000xf32>, tensor<4000x1xi32>, tensor<4000xf32>) -> tensor<8000xf32>
    %9 = stablehlo.convert %5 : (tensor<8000xf32>) -> tensor<8000xbf16>
    %10 = stablehlo.constant dense<0.0> : tensor<f16>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f16>) -> tensor<100000xf16>
    %12 = stablehlo.convert %1 : (tensor<4000xbf16>) -> tensor<4000xf16>
    %13 = stablehlo.convert %11 : (tensor<100000xf16>) -> tensor<100000xf32>
    %14 = stablehlo.convert %12 : (tensor<4000xf16>) -> tensor<4000xf32>
    %15 = "stablehlo.scatter"(%13, %2, %14) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%16: tensor<f32>, %17: tensor<f32>):
      %18 = stablehlo.add %17, %16 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<100000xf32>, tensor<4000x1xi32>, tensor<4000xf32>) -> tensor<100000xf32>
    %19 = stablehlo.convert %15 : (tensor<100000xf32>) -> tensor<100000xf16>
    return %9, %19 : tensor<8000xbf16>, tensor<100000xf16>
  }
}
