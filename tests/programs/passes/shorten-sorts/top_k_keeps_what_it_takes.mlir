// The two slices take three and two elements of a sort: it gives three.
// run: shorten-sorts
func.func @main(%x: tensor<4x100xf32>, %i: tensor<4x100xi32>) -> (tensor<4x3xf32>, tensor<4x2xi32>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%1: tensor<f32>, %2: tensor<f32>, %3: tensor<i32>, %4: tensor<i32>):
    %5 = stablehlo.compare GT, %1, %2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<4x100xf32>, tensor<4x100xi32>) -> (tensor<4x100xf32>, tensor<4x100xi32>)
  %6 = stablehlo.slice %0#0 [0:4, 0:3] : (tensor<4x100xf32>) -> tensor<4x3xf32>
  %7 = stablehlo.slice %0#1 [0:4, 0:2] : (tensor<4x100xi32>) -> tensor<4x2xi32>
  return %6, %7 : tensor<4x3xf32>, tensor<4x2xi32>
}
// expect
module {
  func.func public @main(%0: tensor<4x100xf32>, %1: tensor<4x100xi32>) -> (tensor<4x3xf32>, tensor<4x2xi32>) {
    %2:2 = "acceld.partial_sort"(%0, %1) <{dimension = 1 : i64, limit = 3 : i64}> ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>, %5: tensor<i32>, %6: tensor<i32>):
      %7 = stablehlo.compare GT, %3, %4, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }) : (tensor<4x100xf32>, tensor<4x100xi32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    %8 = stablehlo.slice %2#1 [0:4, 0:2] : (tensor<4x3xi32>) -> tensor<4x2xi32>
    return %2#0, %8 : tensor<4x3xf32>, tensor<4x2xi32>
  }
}
