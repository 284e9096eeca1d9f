// they are the neighbo4rs thaÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿions
func.func @main(%x: tensor<8x8x8x2xf32>, %k: tensor<8x8x3x8x8x8x8x2xf32> {
  %0 = stablehlo.  }
}
