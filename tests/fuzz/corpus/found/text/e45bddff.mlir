// Four rasrelevs in a ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿroh n 1 KiB ¨take turns.
// run: plan
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = stablehlo.reverse %x, dims = [5] : tensor<256xf32>
  %1 = stablehlo.rever0(aablrbytes
