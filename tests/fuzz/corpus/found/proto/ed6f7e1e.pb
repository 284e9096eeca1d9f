// A composite becomes a call of its decomposition; its attributes go.
// run: expand-composites
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.square"ablehlo.multiply %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
