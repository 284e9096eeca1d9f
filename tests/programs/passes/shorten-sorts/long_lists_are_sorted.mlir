// Half of a line, and more elements than a list is good for.
// run: shorten-sorts
func.func @main(%x: tensor<100xi32>, %y: tensor<1000xi32>) -> (tensor<50xi32>, tensor<65xi32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%1: tensor<i32>, %2: tensor<i32>):
    %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<100xi32>) -> tensor<100xi32>
  %4 = stablehlo.slice %0 [0:50] : (tensor<100xi32>) -> tensor<50xi32>
  %5 = "stablehlo.sort"(%y) <{dimension = 0 : i64}> ({
  ^bb0(%6: tensor<i32>, %7: tensor<i32>):
    %8 = stablehlo.compare LT, %6, %7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %8 : tensor<i1>
  }) : (tensor<1000xi32>) -> tensor<1000xi32>
  %9 = stablehlo.slice %5 [0:65] : (tensor<1000xi32>) -> tensor<65xi32>
  return %4, %9 : tensor<50xi32>, tensor<65xi32>
}
// expect
module {
  func.func public @main(%0: tensor<100xi32>, %1: tensor<1000xi32>) -> (tensor<50xi32>, tensor<65xi32>) {
    %2 = "stablehlo.sort"(%0) <{dimension = 0 : i64}> ({
    ^bb0(%3: tensor<i32>, %4: tensor<i32>):
      %5 = stablehlo.compare LT, %3, %4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    }) : (tensor<100xi32>) -> tensor<100xi32>
    %6 = stablehlo.slice %2 [0:50] : (tensor<100xi32>) -> tensor<50xi32>
    %7 = "stablehlo.sort"(%1) <{dimension = 0 : i64}> ({
    ^bb0(%8: tensor<i32>, %9: tensor<i32>):
      %10 = stablehlo.compare LT, %8, %9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }) : (tensor<1000xi32>) -> tensor<1000xi32>
    %11 = stablehlo.slice %7 [0:65] : (tensor<1000xi32>) -> tensor<65xi32>
    return %6, %11 : tensor<50xi32>, tensor<65xi32>
  }
}
