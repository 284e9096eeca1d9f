// Elementwise ops and broadcasts are computed for each part, so that what all parts share is
// computed once. A costly op that others use is sliced instead.
// run: unroll-reductions, cse
func.func @main(%x: tensor<100x3xf32>, %s: tensor<100x1xf32>, %y: tensor<100x2xf32>, %zero: tensor<f32>) -> (tensor<100xf32>, tensor<100xf32>, tensor<100x2xf32>) {
  %0 = stablehlo.exponential %s : tensor<100x1xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<100x1xf32>) -> tensor<100x3xf32>
  %2 = stablehlo.constant dense<0.5> : tensor<100x3xf32>
  %3 = stablehlo.multiply %x, %1 : tensor<100x3xf32>
  %4 = stablehlo.add %3, %2 : tensor<100x3xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
  %6 = stablehlo.exponential %y : tensor<100x2xf32>
  %8 = stablehlo.negate %6 : tensor<100x2xf32>
  %7 = stablehlo.reduce(%8 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x2xf32>, tensor<f32>) -> tensor<100xf32>
  return %5, %7, %6 : tensor<100xf32>, tensor<100xf32>, tensor<100x2xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100x3xf32>, %1: tensor<100x1xf32>, %2: tensor<100x2xf32>, %3: tensor<f32>) -> (tensor<100xf32>, tensor<100xf32>, tensor<100x2xf32>) {
    %4 = stablehlo.exponential %1 : tensor<100x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<100x1xf32>) -> tensor<100x3xf32>
    %6 = stablehlo.constant dense<0.5> : tensor<100x3xf32>
    %7 = stablehlo.multiply %0, %5 : tensor<100x3xf32>
    %8 = stablehlo.add %7, %6 : tensor<100x3xf32>
    %9 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %10 = stablehlo.slice %0 [0:100, 0:1] : (tensor<100x3xf32>) -> tensor<100x1xf32>
    %11 = stablehlo.reshape %10 : (tensor<100x1xf32>) -> tensor<100xf32>
    %12 = stablehlo.reshape %4 : (tensor<100x1xf32>) -> tensor<100xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<100xf32>
    %14 = stablehlo.constant dense<0.5> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %16 = stablehlo.add %13, %15 : tensor<100xf32>
    %17 = stablehlo.add %9, %16 : tensor<100xf32>
    %18 = stablehlo.slice %0 [0:100, 1:2] : (tensor<100x3xf32>) -> tensor<100x1xf32>
    %19 = stablehlo.reshape %18 : (tensor<100x1xf32>) -> tensor<100xf32>
    %20 = stablehlo.multiply %19, %12 : tensor<100xf32>
    %21 = stablehlo.add %20, %15 : tensor<100xf32>
    %22 = stablehlo.add %17, %21 : tensor<100xf32>
    %23 = stablehlo.slice %0 [0:100, 2:3] : (tensor<100x3xf32>) -> tensor<100x1xf32>
    %24 = stablehlo.reshape %23 : (tensor<100x1xf32>) -> tensor<100xf32>
    %25 = stablehlo.multiply %24, %12 : tensor<100xf32>
    %26 = stablehlo.add %25, %15 : tensor<100xf32>
    %27 = stablehlo.add %22, %26 : tensor<100xf32>
    %28 = stablehlo.exponential %2 : tensor<100x2xf32>
    %29 = stablehlo.negate %28 : tensor<100x2xf32>
    %30 = stablehlo.slice %28 [0:100, 0:1] : (tensor<100x2xf32>) -> tensor<100x1xf32>
    %31 = stablehlo.reshape %30 : (tensor<100x1xf32>) -> tensor<100xf32>
    %32 = stablehlo.negate %31 : tensor<100xf32>
    %33 = stablehlo.add %9, %32 : tensor<100xf32>
    %34 = stablehlo.slice %28 [0:100, 1:2] : (tensor<100x2xf32>) -> tensor<100x1xf32>
    %35 = stablehlo.reshape %34 : (tensor<100x1xf32>) -> tensor<100xf32>
    %36 = stablehlo.negate %35 : tensor<100xf32>
    %37 = stablehlo.add %33, %36 : tensor<100xf32>
    return %27, %37, %28 : tensor<100xf32>, tensor<100xf32>, tensor<100x2xf32>
  }
}
