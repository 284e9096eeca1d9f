// A reshape is another name for the same bytes.
// run: plan
func.func @main(%x: tensor<16x16xf32>) -> tensor<256xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.reshape %0 : (tensor<16x16xf32>) -> tensor<4x64xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x64xf32>) -> tensor<64x4xf32>
  %3 = stablehlo.reshape %2 : (tensor<64x4xf32>) -> tensor<256xf32>
  return %3 : tensor<256xf32>
}
// expect
function main(tensor<16x16xf32>) -> (tensor<256xf32>) arena 1024 {
  // stablehlo.transpose (line 4)
  launch transpose_0(argument0[0:1024], arena0[0:1024])
  // stablehlo.transpose (line 6)
  launch transpose_1(arena0[0:1024], result0[0:1024])
}
result0 may be argument0
constants 0 bytes
