// Elements of tuples in tuples, tokens among them.
// run: flatten-values
func.func @main(%x: tensor<2xf32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<2xf32>) {
  %t = stablehlo.create_token : !stablehlo.token
  %a = stablehlo.tuple %t, %x : tuple<!stablehlo.token, tensor<2xf32>>
  %b = stablehlo.tuple %a, %y : tuple<tuple<!stablehlo.token, tensor<2xf32>>, tensor<3xi32>>
  %c = stablehlo.get_tuple_element %b[1] : (tuple<tuple<!stablehlo.token, tensor<2xf32>>, tensor<3xi32>>) -> tensor<3xi32>
  %d = stablehlo.get_tuple_element %b[0] : (tuple<tuple<!stablehlo.token, tensor<2xf32>>, tensor<3xi32>>) -> tuple<!stablehlo.token, tensor<2xf32>>
  %e = stablehlo.get_tuple_element %d[1] : (tuple<!stablehlo.token, tensor<2xf32>>) -> tensor<2xf32>
  return %c, %e : tensor<3xi32>, tensor<2xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2xf32>, %1: tensor<3xi32>) -> (tensor<3xi32>, tensor<2xf32>) {
    return %1, %0 : tensor<3xi32>, tensor<2xf32>
  }
}
