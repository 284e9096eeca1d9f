// The lengths of vectors: elements of slices are added up in order, from the initial value on.
// run: unroll-reductions
func.func @main(%x: tensor<100x3xf32>, %zero: tensor<f32>) -> tensor<100xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<100x3xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
  %2 = stablehlo.sqrt %1 : tensor<100xf32>
  return %2 : tensor<100xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100x3xf32>, %1: tensor<f32>) -> tensor<100xf32> {
    %2 = stablehlo.multiply %0, %0 : tensor<100x3xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %4 = stablehlo.slice %0 [0:100, 0:1] : (tensor<100x3xf32>) -> tensor<100x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<100x1xf32>) -> tensor<100xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<100xf32>
    %7 = stablehlo.add %3, %6 : tensor<100xf32>
    %8 = stablehlo.slice %0 [0:100, 1:2] : (tensor<100x3xf32>) -> tensor<100x1xf32>
    %9 = stablehlo.reshape %8 : (tensor<100x1xf32>) -> tensor<100xf32>
    %10 = stablehlo.multiply %9, %9 : tensor<100xf32>
    %11 = stablehlo.add %7, %10 : tensor<100xf32>
    %12 = stablehlo.slice %0 [0:100, 2:3] : (tensor<100x3xf32>) -> tensor<100x1xf32>
    %13 = stablehlo.reshape %12 : (tensor<100x1xf32>) -> tensor<100xf32>
    %14 = stablehlo.multiply %13, %13 : tensor<100xf32>
    %15 = stablehlo.add %11, %14 : tensor<100xf32>
    %16 = stablehlo.sqrt %15 : tensor<100xf32>
    return %16 : tensor<100xf32>
  }
}
