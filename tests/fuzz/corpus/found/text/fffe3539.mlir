// A ren
func.func @main(%x: tensor<16x16xf32>) -> tensor<256xf32> {
  %0 = stablehlo.transpose %x,r1024])
}
constants 0 bytes
