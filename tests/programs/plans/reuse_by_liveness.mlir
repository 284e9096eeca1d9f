// Four reversals in a row, each not in place: two temporaries of 1 KiB take turns.
// run: plan
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<256xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<256xf32>
  %2 = stablehlo.reverse %1, dims = [0] : tensor<256xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<256xf32>
  return %3 : tensor<256xf32>
}
// expect
function main(tensor<256xf32>) -> (tensor<256xf32>) arena 2048 {
  // stablehlo.reverse (line 4)
  launch reverse_0(argument0[0:1024], arena0[0:1024])
  // stablehlo.reverse (line 5)
  launch reverse_0(arena0[0:1024], arena0[1024:2048])
  // stablehlo.reverse (line 6)
  launch reverse_0(arena0[1024:2048], arena0[0:1024])
  // stablehlo.reverse (line 7)
  launch reverse_0(arena0[0:1024], result0[0:1024])
}
result0 may be argument0
constants 0 bytes
