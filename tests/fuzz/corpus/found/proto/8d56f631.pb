// A large constant with o+neshrink-splats
func.func @main(%x: tensor<100x100xf32>) -> tensor<100x100xf32> {
  %c = stablehlo.constant dense<2.5> : tensor<100x100xf32>
  %0 = stablehlo.multiply %x, %c : tensor<100x100xf32>
  return %0 : tensor<100x100xf32>
}
