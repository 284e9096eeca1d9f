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
// expect
module {
  func.func public @main(%0: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %1 = "acceld.fusion"(%0) ({
    ^bb0(%2: tensor<64x64xf32>):
      %3 = stablehlo.constant dense<0.0> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
      %5 = stablehlo.iota dim = 0 : tensor<64x64xi32>
      %6 = stablehlo.iota dim = 1 : tensor<64x64xi32>
      %7 = stablehlo.compare GE, %5, %6 : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
      %8 = stablehlo.select %7, %2, %4 : tensor<64x64xi1>, tensor<64x64xf32>
      stablehlo.return %8 : tensor<64x64xf32>
    }) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}
