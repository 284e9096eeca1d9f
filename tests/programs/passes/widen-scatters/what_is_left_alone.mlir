// A large input, unique indices, maxima, f32 with few updates for each element, integers, and few updates in all.
// run: widen-scatters
func.func @main(%y: tensor<50xbf16>, %j: tensor<400x1xi32>, %v: tensor<400xbf16>, %t: tensor<100000xbf16>, %i: tensor<4000x1xi32>, %u: tensor<4000xbf16>, %x: tensor<600xf32>, %w: tensor<4000xf32>, %n: tensor<500xi8>, %k: tensor<4000xi8>) -> (tensor<100000xbf16>, tensor<100000xbf16>, tensor<100000xbf16>, tensor<600xf32>, tensor<500xi8>, tensor<50xbf16>) {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<100000xbf16>, tensor<4000x1xi32>, tensor<4000xbf16>) -> tensor<100000xbf16>
  %1 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<100000xbf16>, tensor<4000x1xi32>, tensor<4000xbf16>) -> tensor<100000xbf16>
  %2 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.maximum %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<100000xbf16>, tensor<4000x1xi32>, tensor<4000xbf16>) -> tensor<100000xbf16>
  %3 = "stablehlo.scatter"(%x, %i, %w) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<600xf32>, tensor<4000x1xi32>, tensor<4000xf32>) -> tensor<600xf32>
  %4 = "stablehlo.scatter"(%n, %i, %k) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<500xi8>, tensor<4000x1xi32>, tensor<4000xi8>) -> tensor<500xi8>
  %5 = "stablehlo.scatter"(%y, %j, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<50xbf16>, tensor<400x1xi32>, tensor<400xbf16>) -> tensor<50xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<100000xbf16>, tensor<100000xbf16>, tensor<100000xbf16>, tensor<600xf32>, tensor<500xi8>, tensor<50xbf16>
}
// expect
module {
  func.func public @main(%0: tensor<50xbf16>, %1: tensor<400x1xi32>, %2: tensor<400xbf16>, %3: tensor<100000xbf16>, %4: tensor<4000x1xi32>, %5: tensor<4000xbf16>, %6: tensor<600xf32>, %7: tensor<4000xf32>, %8: tensor<500xi8>, %9: tensor<4000xi8>) -> (tensor<100000xbf16>, tensor<100000xbf16>, tensor<100000xbf16>, tensor<600xf32>, tensor<500xi8>, tensor<50xbf16>) {
    %10 = "stablehlo.scatter"(%3, %4, %5) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%11: tensor<bf16>, %12: tensor<bf16>):
      %13 = stablehlo.add %11, %12 : tensor<bf16>
      stablehlo.return %13 : tensor<bf16>
    }) : (tensor<100000xbf16>, tensor<4000x1xi32>, tensor<4000xbf16>) -> tensor<100000xbf16>
    %14 = "stablehlo.scatter"(%3, %4, %5) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%15: tensor<bf16>, %16: tensor<bf16>):
      %17 = stablehlo.add %15, %16 : tensor<bf16>
      stablehlo.return %17 : tensor<bf16>
    }) : (tensor<100000xbf16>, tensor<4000x1xi32>, tensor<4000xbf16>) -> tensor<100000xbf16>
    %18 = "stablehlo.scatter"(%3, %4, %5) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%19: tensor<bf16>, %20: tensor<bf16>):
      %21 = stablehlo.maximum %19, %20 : tensor<bf16>
      stablehlo.return %21 : tensor<bf16>
    }) : (tensor<100000xbf16>, tensor<4000x1xi32>, tensor<4000xbf16>) -> tensor<100000xbf16>
    %22 = "stablehlo.scatter"(%6, %4, %7) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%23: tensor<f32>, %24: tensor<f32>):
      %25 = stablehlo.add %23, %24 : tensor<f32>
      stablehlo.return %25 : tensor<f32>
    }) : (tensor<600xf32>, tensor<4000x1xi32>, tensor<4000xf32>) -> tensor<600xf32>
    %26 = "stablehlo.scatter"(%8, %4, %9) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%27: tensor<i8>, %28: tensor<i8>):
      %29 = stablehlo.add %27, %28 : tensor<i8>
      stablehlo.return %29 : tensor<i8>
    }) : (tensor<500xi8>, tensor<4000x1xi32>, tensor<4000xi8>) -> tensor<500xi8>
    %30 = "stablehlo.scatter"(%0, %1, %2) <{scatter_dimension_numbers = #stablehlo.scatter<index_vector_dim = 1, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
    ^bb0(%31: tensor<bf16>, %32: tensor<bf16>):
      %33 = stablehlo.add %31, %32 : tensor<bf16>
      stablehlo.return %33 : tensor<bf16>
    }) : (tensor<50xbf16>, tensor<400x1xi32>, tensor<400xbf16>) -> tensor<50xbf16>
    return %10, %14, %18, %22, %26, %30 : tensor<100000xbf16>, tensor<100000xbf16>, tensor<100000xbf16>, tensor<600xf32>, tensor<500xi8>, tensor<50xbf16>
  }
}
