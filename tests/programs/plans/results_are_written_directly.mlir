// The last op writes the result itself; nothing is copied.
// run: plan
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = stablehlo.negate %x : tensor<256xf32>
  %1 = stablehlo.abs %0 : tensor<256xf32>
  return %1 : tensor<256xf32>
}
// expect
function main(tensor<256xf32>) -> (tensor<256xf32>) arena 1024 {
  // stablehlo.negate (line 4)
  launch negate_0(argument0[0:1024], arena0[0:1024])
  // stablehlo.abs (line 5)
  launch abs_1(arena0[0:1024], result0[0:1024])
}
result0 may be argument0
constants 0 bytes
