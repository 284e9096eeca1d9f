// Tuples are taken apart; placement hints are gone.
// run: canonicalize
func.func @main(%x: tensor<4xf32>, %y: tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>) {
  %0 = stablehlo.tuple %x, %y : tuple<tensor<4xf32>, tensor<2xi32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<4xf32>, tensor<2xi32>>) -> tensor<4xf32>
  %2 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<4xf32>, tensor<2xi32>>) -> tensor<2xi32>
  %3 = stablehlo.custom_call @Sharding(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %3, %2 : tensor<4xf32>, tensor<2xi32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>) {
    %2 = stablehlo.tuple %0, %1 : tuple<tensor<4xf32>, tensor<2xi32>>
    return %0, %1 : tensor<4xf32>, tensor<2xi32>
  }
}
