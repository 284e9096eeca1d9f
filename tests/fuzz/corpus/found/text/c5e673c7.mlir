#loc1 = loc("f.py":1:2)
"builtin.module"() <{sym_name = "g"}> ({
  "func.func"() <{function_tyion_numbers = #stablehlo.gather<collapsed_slice_dims =f32], stareplicas = 1 : i32} : () -> ()
