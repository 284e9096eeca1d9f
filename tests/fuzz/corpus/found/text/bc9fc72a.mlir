// A mask made of iotas lies nowhere in memory.
// run: fuse
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
  %0 = stablehlo.iota dim = 0 : tensor<64x64xi32>
  %1 = stablehlo.iota dim = 1 : tensor<64x64xi32>
  %2 = stablehlo.compare GE, %0, %1 : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  %3 = stablehlo.select %2, %x, %zeros : tensor<64x64xi1>, tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}
