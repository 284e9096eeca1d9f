// A constant too large for a kernel's code becomes an operand.
// run: isolate-nests
func.func @main(%x: tensor<4x6xi32>, %z: tensor<i32>) -> tensor<4xi32> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %table = stablehlo.constant dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]> : tensor<10xi32>
    %1 = stablehlo.dynamic_slice %table, %b, sizes = [1] : (tensor<10xi32>, tensor<i32>) -> tensor<1xi32>
    %2 = stablehlo.reshape %1 : (tensor<1xi32>) -> tensor<i32>
    %3 = stablehlo.add %a, %2 : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }) : (tensor<4x6xi32>, tensor<i32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
// expect
module {
  func.func public @main(%0: tensor<4x6xi32>, %1: tensor<i32>) -> tensor<4xi32> {
    %2 = stablehlo.constant dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]> : tensor<10xi32>
    %3 = "acceld.fusion"(%0, %1, %2) <{kind = reduction}> ({
    ^bb0(%4: tensor<4x6xi32>, %5: tensor<i32>, %6: tensor<10xi32>):
      %7 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 1>}> ({
      ^bb0(%8: tensor<i32>, %9: tensor<i32>):
        %10 = stablehlo.dynamic_slice %6, %9, sizes = [1] : (tensor<10xi32>, tensor<i32>) -> tensor<1xi32>
        %11 = stablehlo.reshape %10 : (tensor<1xi32>) -> tensor<i32>
        %12 = stablehlo.add %8, %11 : tensor<i32>
        stablehlo.return %12 : tensor<i32>
      }) : (tensor<4x6xi32>, tensor<i32>) -> tensor<4xi32>
      stablehlo.return %7 : tensor<4xi32>
    }) : (tensor<4x6xi32>, tensor<i32>, tensor<10xi32>) -> tensor<4xi32>
    return %3 : tensor<4xi32>
  }
}
