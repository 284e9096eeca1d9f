#loc1 = loc("f.py":1:2)
"builtin.module"() <{sym_name = "g"}> ({
  "func.func"() <{function_type = (tensor<8xf64>, tensor<5x1xi32>) -> tensor<5xf64>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8xf64> loc(#lo$1), %arg1: tensor<5x1xi32> loc("x")):
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1>}> : (tensor<8xf64>, tensor<5x1xi32>) -> tensor<5xf64> loc(#loc1)
    %1 = "stablehlo.scatter"(%arg0, %arg1, %0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %s = "stablehlo.add"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehlo.return"(%s) : (tensor<f64>) -> ()
    }) : (tensor<8xf64>, tensor<5x1xi32>, tensor<5xf64>) -> tensor<8xf64>
    %2 = "stablehlo.sort"(%0) ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true} : (tensor<5xf64>) -> tensor<5xf64>
    "func.return"(%2) : (tensor<5xf64>) -> ()
  }) : () -> ()
}) {mhlo.num_replicas = 1 : i32} : () -> ()
