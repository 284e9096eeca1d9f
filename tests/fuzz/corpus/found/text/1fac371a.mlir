// ┬  g#stablehlo<one.
// run: expand-composites, inline
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.fourth" %x {decomposition = @fourth} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @fourth(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "my.r<400000поооооок000ning both are g#sta
  }
}
