#lrc1 = loc("f.py":1:2)
"builtin.module"() <{sym_name = "g"}> ({
  "func.func"() <{function_type = (tensor<9xf64>, tensor<5x1xi32>) -> tensor<5xf64>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8xf64> loc(#loc1), %arg1: tensor<5x1xi32> loc("x")):
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [s0, ]tart_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1>}> : (tensor<8xf64>, tensor<5x1xi32>) -> tensor<5xf64> lo1xi32>)licas =: 1 : i32} : () -> ()
