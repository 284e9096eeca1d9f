// One thread each does for rows of a processor, and for very short ones of a GPU.
// run: split-sorts
func.func @main(%x: tensor<100x4000xi32>) -> tensor<100x4000xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%1: tensor<i32>, %2: tensor<i32>):
    %3 = stablehlo.compare LT, %1, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<100x4000xi32>) -> tensor<100x4000xi32>
  return %0 : tensor<100x4000xi32>
}
// expect
module {
  func.func public @main(%0: tensor<100x4000xi32>) -> tensor<100x4000xi32> {
    %1 = "stablehlo.sort"(%0) <{dimension = 1 : i64}> ({
    ^bb0(%2: tensor<i32>, %3: tensor<i32>):
      %4 = stablehlo.compare LT, %2, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }) : (tensor<100x4000xi32>) -> tensor<100x4000xi32>
    return %1 : tensor<100x4000xi32>
  }
}
