// A tn-values
func.func @main(%x: tensor<5xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %t = stablehlo.tuple %x, %p : tuple<tensor<4xf32>, tensor<i1>>
 xf32>
  }
}
