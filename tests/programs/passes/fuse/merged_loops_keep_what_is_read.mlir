// Of what merged loops pass to each other only what others read becomes a result.
// run: fuse
func.func @main(%arg0: tensor<1000xui32>, %arg1: tensor<1000xui32>, %arg2: tensor<ui32>) -> (tensor<1000xui32>, tensor<1000xui32>) {
  %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<ui32>) -> tensor<1000xui32>
  %1 = stablehlo.add %arg0, %arg1 : tensor<1000xui32>
  %2 = stablehlo.divide %1, %0 : tensor<1000xui32>
  %3 = stablehlo.divide %2, %arg1 : tensor<1000xui32>
  %4 = stablehlo.add %2, %3 : tensor<1000xui32>
  %5 = stablehlo.xor %2, %3 : tensor<1000xui32>
  return %4, %5 : tensor<1000xui32>, tensor<1000xui32>
}
// expect
module {
  func.func public @main(%0: tensor<1000xui32>, %1: tensor<1000xui32>, %2: tensor<ui32>) -> (tensor<1000xui32>, tensor<1000xui32>) {
    %3:2 = "acceld.fusion"(%2, %0, %1) ({
    ^bb0(%4: tensor<ui32>, %5: tensor<1000xui32>, %6: tensor<1000xui32>):
      %7 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<ui32>) -> tensor<1000xui32>
      %8 = stablehlo.add %5, %6 : tensor<1000xui32>
      %9 = stablehlo.divide %8, %7 : tensor<1000xui32>
      %10 = stablehlo.divide %9, %6 : tensor<1000xui32>
      %11 = stablehlo.add %9, %10 : tensor<1000xui32>
      %12 = stablehlo.xor %9, %10 : tensor<1000xui32>
      stablehlo.return %11, %12 : tensor<1000xui32>, tensor<1000xui32>
    }) : (tensor<ui32>, tensor<1000xui32>, tensor<1000xui32>) -> (tensor<1000xui32>, tensor<1000xui32>)
    return %3#0, %3#1 : tensor<1000xui32>, tensor<1000xui32>
  }
}
