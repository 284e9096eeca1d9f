// A small function is copied to each of its calls, and then nobody needs it.
// run: inline
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @scale(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @scale(%y) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @scale(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<3.0> : tensor<4xf32>
  %0 = stablehlo.multiply %a, %c : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<4xf32>) -> tensor<4xf32> {
    %2 = stablehlo.constant dense<3.0> : tensor<4xf32>
    %3 = stablehlo.multiply %0, %2 : tensor<4xf32>
    %4 = stablehlo.constant dense<3.0> : tensor<4xf32>
    %5 = stablehlo.multiply %1, %4 : tensor<4xf32>
    %6 = stablehlo.add %3, %5 : tensor<4xf32>
    return %6 : tensor<4xf32>
  }
}
