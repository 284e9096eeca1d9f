// A small temporary lies in the place of a large one that is dead.
// run: plan
func.func @main(%x: tensor<256xf32>) -> (tensor<f32>, tensor<64xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reverse %x, dims = [0] : tensor<256xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.slice %x [0:64] : (tensor<256xf32>) -> tensor<64xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<64xf32>
  return %1, %3 : tensor<f32>, tensor<64xf32>
}
// expect
function main(tensor<256xf32>) -> (tensor<f32>, tensor<64xf32>) arena 1024 {
  // stablehlo.reverse (line 5)
  launch reverse_0(argument0[0:1024], arena0[0:1024])
  // stablehlo.reduce (line 6)
  launch reduce_1(arena0[0:1024], constant0[0:4], result0[0:4])
  // stablehlo.slice (line 7)
  launch slice_2(argument0[0:1024], arena0[0:256])
  // stablehlo.reverse (line 8)
  launch reverse_3(arena0[0:256], result1[0:256])
}
constants 4 bytes
