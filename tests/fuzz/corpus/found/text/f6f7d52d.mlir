// Slices, pads, converts and  back their operand.
// run: canonicalize
func.func @main(%x: tensor<4xf32>, %e: tensor<0xf32>, %f: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.slice %x [5:4] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.pad: (tensor<4xf32>r<4xf32>
  %2 }
}
