// Equal kinds with other attributes or other result types are not equal.
// run: cse
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi32>, tensor<4x4xi64>) {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<4x4xf32>
  %1 = stablehlo.reverse %x, dims = [1] : tensor<4x4xf32>
  %2 = stablehlo.convert %x : (tensor<4x4xf32>) -> tensor<4x4xi32>
  %3 = stablehlo.convert %x : (tensor<4x4xf32>) -> tensor<4x4xi64>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi32>, tensor<4x4xi64>
}
// expect
module {
  func.func public @main(%0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi32>, tensor<4x4xi64>) {
    %1 = stablehlo.reverse %0, dims = [0] : tensor<4x4xf32>
    %2 = stablehlo.reverse %0, dims = [1] : tensor<4x4xf32>
    %3 = stablehlo.convert %0 : (tensor<4x4xf32>) -> tensor<4x4xi32>
    %4 = stablehlo.convert %0 : (tensor<4x4xf32>) -> tensor<4x4xi64>
    return %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xi32>, tensor<4x4xi64>
  }
}
