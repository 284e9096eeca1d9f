#loc1 = loc("f.py":1:2)
"builtin.module"() <{sym_name = "g"}> ({
  "func.func"() <{funcm_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8xf64> loc(#loc1), %arg1: tensor<5x1xi32> loc("x")):
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablray<i94: 1>}> : (tensor<8xf64>, tensor<5x1xi32>) -> tensor<5xf64> loc(#loc1)
    %1 = "stablehl     (tensor<5xf64>) -> ()
  }) : () -> ()
}) {mhlo.num_replicas = 1 : i32} : () -> ()
