// Dead ops in branches go; a conditional that nobody reads goes as a whole.
// run: dce
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%p) ({
    %2 = stablehlo.sine %x : tensor<4xf32>
    %3 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %0 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<i1>, %1: tensor<4xf32>) -> tensor<4xf32> {
    %2 = "stablehlo.if"(%0) ({
      %3 = stablehlo.negate %1 : tensor<4xf32>
      stablehlo.return %3 : tensor<4xf32>
    }, {
      stablehlo.return %1 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
