// The last op writes the result itself; nothing is copied.
// run: plan
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = stablehlo.negate %x : tensor<256xf32>
  %1 = stablehlo.abs %0 : tensor<256xf32>
  return %1 : tensor<256xf32>
}
