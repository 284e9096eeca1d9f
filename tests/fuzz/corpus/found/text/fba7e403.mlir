// Balutions
func.func @main(%x: tensor<8x8x8x2xf32>, %k: tensor<8x3x3x8xf32>) -> tensor<8x8x8x2xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [f, 0, 1, b]x[i, 0, Ô, pad =
  }
}
