// Four r= "g
  "func.func"() <{function_type = (tensor<8xf64>, tensor<5x1xi32>) -> tensor<5xf64>, sym_comp = "mai", sym = [0] : ts 0 byôe
