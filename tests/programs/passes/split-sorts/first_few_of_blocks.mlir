// On a processor each thread selects from a block; what is left over is looked at with what they found.
// run: shorten-sorts, split-sorts
func.func @main(%x: tensor<40000xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%1: tensor<f32>, %2: tensor<f32>):
    %3 = stablehlo.compare GT, %1, %2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<40000xf32>) -> tensor<40000xf32>
  %4 = stablehlo.slice %0 [0:3] : (tensor<40000xf32>) -> tensor<3xf32>
  return %4 : tensor<3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<40000xf32>) -> tensor<3xf32> {
    %1 = stablehlo.reshape %0 : (tensor<40000xf32>) -> tensor<1x40000xf32>
    %2 = stablehlo.slice %1 [0:1, 0:36864] : (tensor<1x40000xf32>) -> tensor<1x36864xf32>
    %3 = stablehlo.reshape %2 : (tensor<1x36864xf32>) -> tensor<1x9x4096xf32>
    %4 = "acceld.partial_sort"(%3) <{dimension = 2 : i64, limit = 3 : i64}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      %7 = stablehlo.compare GT, %5, %6, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }) : (tensor<1x9x4096xf32>) -> tensor<1x9x3xf32>
    %8 = stablehlo.reshape %4 : (tensor<1x9x3xf32>) -> tensor<1x27xf32>
    %9 = stablehlo.slice %1 [0:1, 36864:40000] : (tensor<1x40000xf32>) -> tensor<1x3136xf32>
    %10 = stablehlo.concatenate %8, %9, dim = 1 : (tensor<1x27xf32>, tensor<1x3136xf32>) -> tensor<1x3163xf32>
    %11 = "acceld.partial_sort"(%10) <{dimension = 1 : i64, limit = 3 : i64}> ({
    ^bb0(%12: tensor<f32>, %13: tensor<f32>):
      %14 = stablehlo.compare GT, %12, %13, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    }) : (tensor<1x3163xf32>) -> tensor<1x3xf32>
    %15 = stablehlo.reshape %11 : (tensor<1x3xf32>) -> tensor<3xf32>
    return %15 : tensor<3xf32>
  }
}
