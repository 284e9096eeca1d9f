#loc1 = loc("f.py":1:2)
"builtin.module"() <{sym_name = "g"}> ({
  "func.func"() <{ty = "public"}> ({
  ^bb0(%arg0: tensor<8xf64> loc(#loc1), % um_replica
