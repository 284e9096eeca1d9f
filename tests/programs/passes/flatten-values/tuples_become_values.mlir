// A tuple that leaves a branch is as many results as it has tensors.
// run: flatten-values
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %t = stablehlo.tuple %x, %p : tuple<tensor<4xf32>, tensor<i1>>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %t : tuple<tensor<4xf32>, tensor<i1>>
  }, {
    %y = stablehlo.add %x, %x : tensor<4xf32>
    %u = stablehlo.tuple %y, %p : tuple<tensor<4xf32>, tensor<i1>>
    stablehlo.return %u : tuple<tensor<4xf32>, tensor<i1>>
  }) : (tensor<i1>) -> tuple<tensor<4xf32>, tensor<i1>>
  %z = stablehlo.get_tuple_element %r[0] : (tuple<tensor<4xf32>, tensor<i1>>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<i1>) -> tensor<4xf32> {
    %2:2 = "stablehlo.if"(%1) ({
      stablehlo.return %0, %1 : tensor<4xf32>, tensor<i1>
    }, {
      %3 = stablehlo.add %0, %0 : tensor<4xf32>
      stablehlo.return %3, %1 : tensor<4xf32>, tensor<i1>
    }) : (tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
    return %2#0 : tensor<4xf32>
  }
}
