// What a loop reads from outside is not computed again in each of its iterations.
// run: unroll-reductions
func.func @main(%x: tensor<100x3xf32>, %y: tensor<100xf32>, %zero: tensor<f32>) -> tensor<100xf32> {
  %n = stablehlo.constant dense<10> : tensor<i32>
  %start = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.exponential %x : tensor<100x3xf32>
  %1:2 = stablehlo.while(%i = %start, %sum = %y) : tensor<i32>, tensor<100xf32>
    cond {
      %2 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %3 = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<100xf32>) -> tensor<100x3xf32>
      %4 = stablehlo.multiply %0, %3 : tensor<100x3xf32>
      %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
      %6 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %6, %5 : tensor<i32>, tensor<100xf32>
    }
  return %1#1 : tensor<100xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100x3xf32>, %1: tensor<100xf32>, %2: tensor<f32>) -> tensor<100xf32> {
    %3 = stablehlo.constant dense<10> : tensor<i32>
    %4 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.constant dense<1> : tensor<i32>
    %6 = stablehlo.exponential %0 : tensor<100x3xf32>
    %7:2 = "stablehlo.while"(%4, %1) ({
    ^bb0(%8: tensor<i32>, %9: tensor<100xf32>):
      %10 = stablehlo.compare LT, %8, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }, {
    ^bb0(%11: tensor<i32>, %12: tensor<100xf32>):
      %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<100xf32>) -> tensor<100x3xf32>
      %14 = stablehlo.multiply %6, %13 : tensor<100x3xf32>
      %15 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<100xf32>
      %16 = stablehlo.slice %6 [0:100, 0:1] : (tensor<100x3xf32>) -> tensor<100x1xf32>
      %17 = stablehlo.reshape %16 : (tensor<100x1xf32>) -> tensor<100xf32>
      %18 = stablehlo.multiply %17, %12 : tensor<100xf32>
      %19 = stablehlo.add %15, %18 : tensor<100xf32>
      %20 = stablehlo.slice %6 [0:100, 1:2] : (tensor<100x3xf32>) -> tensor<100x1xf32>
      %21 = stablehlo.reshape %20 : (tensor<100x1xf32>) -> tensor<100xf32>
      %22 = stablehlo.multiply %21, %12 : tensor<100xf32>
      %23 = stablehlo.add %19, %22 : tensor<100xf32>
      %24 = stablehlo.slice %6 [0:100, 2:3] : (tensor<100x3xf32>) -> tensor<100x1xf32>
      %25 = stablehlo.reshape %24 : (tensor<100x1xf32>) -> tensor<100xf32>
      %26 = stablehlo.multiply %25, %12 : tensor<100xf32>
      %27 = stablehlo.add %23, %26 : tensor<100xf32>
      %28 = stablehlo.add %11, %5 : tensor<i32>
      stablehlo.return %28, %27 : tensor<i32>, tensor<100xf32>
    }) : (tensor<i32>, tensor<100xf32>) -> (tensor<i32>, tensor<100xf32>)
    return %7#1 : tensor<100xf32>
  }
}
