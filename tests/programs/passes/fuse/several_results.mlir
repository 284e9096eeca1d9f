// Loops over the same elements become one loop with several results.
// run: fuse
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %0 = stablehlo.add %x, %y : tensor<4096xf32>
  %1 = stablehlo.sine %0 : tensor<4096xf32>
  %2 = stablehlo.multiply %x, %y : tensor<4096xf32>
  return %1, %2 : tensor<4096xf32>, tensor<4096xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4096xf32>, %1: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
    %2:2 = "acceld.fusion"(%0, %1) ({
    ^bb0(%3: tensor<4096xf32>, %4: tensor<4096xf32>):
      %5 = stablehlo.add %3, %4 : tensor<4096xf32>
      %6 = stablehlo.sine %5 : tensor<4096xf32>
      %7 = stablehlo.multiply %3, %4 : tensor<4096xf32>
      stablehlo.return %6, %7 : tensor<4096xf32>, tensor<4096xf32>
    }) : (tensor<4096xf32>, tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>)
    return %2#0, %2#1 : tensor<4096xf32>, tensor<4096xf32>
  }
}
