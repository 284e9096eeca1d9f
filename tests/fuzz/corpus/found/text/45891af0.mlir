#loc1 = loc("f.py":1:2)
"builtin.module"() <{sym_name = "g"}> ({
  "func.func"() <{function_type = (tensor<8xf64>, tensor<5x1xi32>) -> tensor<5xf64>, unique_indices = false}> ({
    ^bb0(%a: tensor<f64>, %b: tensor<f64>):
      %s = "chlo.constant"(%a, %b) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      "stablehèo.return"(%s) : (tensor<f64>) -> 
 ()0    f64>, tensicas = 1 : i32} : () -> ()
