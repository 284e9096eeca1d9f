// A reducer that picks keeps the order of its elements.
// run: split-reductions
func.func @main(%x: tensor<2x262144xi32>, %i: tensor<2x262144xi32>, %a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %0:2 = "stablehlo.reduce"(%x, %i, %a, %b) <{dimensions = array<i64: 1, 0>}> ({
  ^bb0(%1: tensor<i32>, %2: tensor<i32>, %3: tensor<i32>, %4: tensor<i32>):
    %5 = stablehlo.compare GE, %1, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.select %5, %1, %3 : tensor<i1>, tensor<i32>
    %7 = stablehlo.select %5, %2, %4 : tensor<i1>, tensor<i32>
    stablehlo.return %6, %7 : tensor<i32>, tensor<i32>
  }) : (tensor<2x262144xi32>, tensor<2x262144xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// expect
module {
  func.func public @main(%0: tensor<2x262144xi32>, %1: tensor<2x262144xi32>, %2: tensor<i32>, %3: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %4 = stablehlo.reshape %0 : (tensor<2x262144xi32>) -> tensor<2x1x262144xi32>
    %5 = stablehlo.reshape %1 : (tensor<2x262144xi32>) -> tensor<2x1x262144xi32>
    %6:2 = "stablehlo.reduce"(%4, %5, %2, %3) <{dimensions = array<i64: 1, 2>}> ({
    ^bb0(%7: tensor<i32>, %8: tensor<i32>, %9: tensor<i32>, %10: tensor<i32>):
      %11 = stablehlo.compare GE, %7, %9 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %12 = stablehlo.select %11, %7, %9 : tensor<i1>, tensor<i32>
      %13 = stablehlo.select %11, %8, %10 : tensor<i1>, tensor<i32>
      stablehlo.return %12, %13 : tensor<i32>, tensor<i32>
    }) : (tensor<2x1x262144xi32>, tensor<2x1x262144xi32>, tensor<i32>, tensor<i32>) -> (tensor<2xi32>, tensor<2xi32>)
    %14:2 = "stablehlo.reduce"(%6#0, %6#1, %2, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%15: tensor<i32>, %16: tensor<i32>, %17: tensor<i32>, %18: tensor<i32>):
      %19 = stablehlo.compare GE, %15, %17 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %20 = stablehlo.select %19, %15, %17 : tensor<i1>, tensor<i32>
      %21 = stablehlo.select %19, %16, %18 : tensor<i1>, tensor<i32>
      stablehlo.return %20, %21 : tensor<i32>, tensor<i32>
    }) : (tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
    return %14#0, %14#1 : tensor<i32>, tensor<i32>
  }
}
