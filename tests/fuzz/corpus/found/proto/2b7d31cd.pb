// Elements of tuples in tuples, tokens dot_dimension_nuun: flatten-values
func.func @main$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$(%x: tensor<2xf32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<2xf32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %a = stablehlo.tuple %t, %x : tuple<!stablehlo.token, tensor<4xf32>>
  %b = stablehlo.tuple %a, %y : tuple<tuple<!stablehablehlo
