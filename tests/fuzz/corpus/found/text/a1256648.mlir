// A atten-values
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %t = stablehlo.tuple %x, %p : tuple<tensor<4xf32>, tensor<i1>>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %t : tuple<tensor<4xf32>, tensor<i1>>
  }, {
    %y = stablehlo.dot %x, %x : tensor<4xf32>
    %u = stablehlo.tuple %y, %p : tsor<4xf32>GTt)
    return %2#0 : tensor<4xf32>
  }
}
