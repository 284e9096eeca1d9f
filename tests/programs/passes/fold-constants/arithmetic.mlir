// Elementwise ops on constants; what depends on an argument stays.
// run: fold-constants
func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %a = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<0.5> : tensor<3xf32>
  %0 = stablehlo.multiply %a, %b : tensor<3xf32>
  %1 = stablehlo.sqrt %a : tensor<3xf32>
  %2 = stablehlo.add %0, %x : tensor<3xf32>
  return %2, %1 : tensor<3xf32>, tensor<3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %1 = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
    %2 = stablehlo.constant dense<0.5> : tensor<3xf32>
    %3 = stablehlo.constant dense<[0.5, 1.0, 2.0]> : tensor<3xf32>
    %4 = stablehlo.constant dense<[1.0, 1.4142135, 2.0]> : tensor<3xf32>
    %5 = stablehlo.add %3, %0 : tensor<3xf32>
    return %5, %4 : tensor<3xf32>, tensor<3xf32>
  }
}
