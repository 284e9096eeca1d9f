// A branch uses what was computed before it; two branches share nothing with each other.
// run: cse
func.func @main(%p: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.sine %x : tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    %2 = stablehlo.sine %x : tensor<4xf32>
    %3 = stablehlo.cosine %x : tensor<4xf32>
    %4 = stablehlo.add %2, %3 : tensor<4xf32>
    stablehlo.return %4 : tensor<4xf32>
  }, {
    %5 = stablehlo.cosine %x : tensor<4xf32>
    stablehlo.return %5 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<i1>, %1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %2 = stablehlo.sine %1 : tensor<4xf32>
    %3 = "stablehlo.if"(%0) ({
      %4 = stablehlo.cosine %1 : tensor<4xf32>
      %5 = stablehlo.add %2, %4 : tensor<4xf32>
      stablehlo.return %5 : tensor<4xf32>
    }, {
      %6 = stablehlo.cosine %1 : tensor<4xf32>
      stablehlo.return %6 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
}
