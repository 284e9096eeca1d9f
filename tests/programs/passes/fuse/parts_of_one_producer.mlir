// Each iteration needs two different elements of a costly value, and no element is needed twice:
// fusing it computes nothing more often.
// run: fuse
func.func @main(%x: tensor<2x4096xf32>) -> tensor<4096xf32> {
  %0 = stablehlo.exponential %x : tensor<2x4096xf32>
  %1 = stablehlo.tanh %0 : tensor<2x4096xf32>
  %2 = stablehlo.slice %1 [0:1, 0:4096] : (tensor<2x4096xf32>) -> tensor<1x4096xf32>
  %3 = stablehlo.slice %1 [1:2, 0:4096] : (tensor<2x4096xf32>) -> tensor<1x4096xf32>
  %4 = stablehlo.multiply %2, %3 : tensor<1x4096xf32>
  %5 = stablehlo.reshape %4 : (tensor<1x4096xf32>) -> tensor<4096xf32>
  return %5 : tensor<4096xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x4096xf32>) -> tensor<4096xf32> {
    %1 = "acceld.fusion"(%0) ({
    ^bb0(%2: tensor<2x4096xf32>):
      %3 = stablehlo.exponential %2 : tensor<2x4096xf32>
      %4 = stablehlo.tanh %3 : tensor<2x4096xf32>
      %5 = stablehlo.slice %4 [0:1, 0:4096] : (tensor<2x4096xf32>) -> tensor<1x4096xf32>
      %6 = stablehlo.slice %4 [1:2, 0:4096] : (tensor<2x4096xf32>) -> tensor<1x4096xf32>
      %7 = stablehlo.multiply %5, %6 : tensor<1x4096xf32>
      stablehlo.return %7 : tensor<1x4096xf32>
    }) : (tensor<2x4096xf32>) -> tensor<1x4096xf32>
    %8 = stablehlo.reshape %1 : (tensor<1x4096xf32>) -> tensor<4096xf32>
    return %8 : tensor<4096xf32>
  }
}
