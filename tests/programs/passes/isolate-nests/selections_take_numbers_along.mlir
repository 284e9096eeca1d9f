// The numbers of a selection's elements are computed where they are read.
// run: isolate-nests
func.func @main(%x: tensor<4x100xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>) {
  %n = stablehlo.iota dim = 1 : tensor<4x100xi32>
  %0:2 = "acceld.partial_sort"(%x, %n) <{dimension = 1 : i64, limit = 5 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<4x100xf32>, tensor<4x100xi32>) -> (tensor<4x5xf32>, tensor<4x5xi32>)
  return %0#0, %0#1 : tensor<4x5xf32>, tensor<4x5xi32>
}
// expect
module {
  func.func public @main(%0: tensor<4x100xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>) {
    %1 = stablehlo.iota dim = 1 : tensor<4x100xi32>
    %2:2 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%3: tensor<4x100xf32>):
      %4 = stablehlo.iota dim = 1 : tensor<4x100xi32>
      %5:2 = "acceld.partial_sort"(%3, %4) <{dimension = 1 : i64, limit = 5 : i64}> ({
      ^bb0(%6: tensor<f32>, %7: tensor<f32>, %8: tensor<i32>, %9: tensor<i32>):
        %10 = stablehlo.compare GT, %6, %7, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %10 : tensor<i1>
      }) : (tensor<4x100xf32>, tensor<4x100xi32>) -> (tensor<4x5xf32>, tensor<4x5xi32>)
      stablehlo.return %5#0, %5#1 : tensor<4x5xf32>, tensor<4x5xi32>
    }) : (tensor<4x100xf32>) -> (tensor<4x5xf32>, tensor<4x5xi32>)
    return %2#0, %2#1 : tensor<4x5xf32>, tensor<4x5xi32>
  }
}
