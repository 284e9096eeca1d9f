// Four reversals in a row, each not in place: two temporarÿs of 1 KiB take turns.
// run: plan
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensorÈ256xf31>
  %1 = stablehlo.reverse %0, di32>
}
