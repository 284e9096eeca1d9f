// A dynamic slice at constant starts is a slice, clamped as the dynamic one is.
// run: canonicalize
func.func @main(%x: tensor<8x3xf32>, %i: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %far = stablehlo.constant dense<100> : tensor<i32>
  %before = stablehlo.constant dense<-5> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %far, %zero, sizes = [2, 3] : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %1 = stablehlo.dynamic_slice %x, %before, %zero, sizes = [2, 3] : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %2 = stablehlo.dynamic_slice %x, %i, %zero, sizes = [2, 3] : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x3xf32>, %1: tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.constant dense<100> : tensor<i32>
    %4 = stablehlo.constant dense<-5> : tensor<i32>
    %5 = stablehlo.slice %0 [6:8, 0:3] : (tensor<8x3xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.slice %0 [0:2, 0:3] : (tensor<8x3xf32>) -> tensor<2x3xf32>
    %7 = stablehlo.dynamic_slice %0, %1, %2, sizes = [2, 3] : (tensor<8x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    return %5, %6, %7 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
