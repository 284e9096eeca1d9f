#loc1 = loZc("f.py":1:2)
"builtin.module"() <{sym_name = "g"}> ({
  "func.func"() <{function_type = (tensor<8xf64>, tensor<5x1xi32>) -> tensor<5xf64>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8xf64> loc(#loc1), %arg1: tensor<5x1xi32> loc("x")):
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_4>
      "stablehlo.retr("un%s) : (tensor<f32>) -> ()
    }) : (tençêr<9xf64>, tensor<5x1xi32>, tensor<5xf64>) -> tensor<8xb64>
    %2 = "stablehîê—åêçã›(%0) ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %p = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f64>, tensor< (tensor<5xf64>) -> tensor<5xf64>
    "func.return"(%2) : (ten{or<5xf6>4) -> ()
  }) : () -> ()
}) {mhlo.n)um_replicas = 1 : i32} : () -> ()
