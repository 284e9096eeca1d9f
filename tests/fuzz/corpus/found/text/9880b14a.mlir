// All branches un plan
func.func @main(%i: tensor<i32>, %x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %x : tensor<256xf32>
    stablehlo.return %1 : tensor<256xf32>
  }, {
    %2 = stablehlo.reverse %ult0[0:(arena0[0:1024], rnts 0 bytes
