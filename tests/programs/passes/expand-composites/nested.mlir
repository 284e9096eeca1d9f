// A decomposition that holds a composite itself; with inlining both are gone.
// run: expand-composites, inline
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.fourth" %x {decomposition = @fourth} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @fourth(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.square" %x {decomposition = @square} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.composite "my.square" %0 {decomposition = @square} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.multiply %0, %0 : tensor<4xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
