// A region that uses a computed value goes into a fusion that takes the value as operand.
// run: isolate-nests
func.func @main(%x: tensor<4x6xf32>, %z: tensor<f32>, %k: tensor<f32>) -> tensor<4xf32> {
  %s = stablehlo.sine %k : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.multiply %b, %s : tensor<f32>
    %2 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4x6xf32>, %1: tensor<f32>, %2: tensor<f32>) -> tensor<4xf32> {
    %3 = stablehlo.sine %2 : tensor<f32>
    %4 = "acceld.fusion"(%0, %1, %3) <{kind = reduction}> ({
    ^bb0(%5: tensor<4x6xf32>, %6: tensor<f32>, %7: tensor<f32>):
      %8 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 1>}> ({
      ^bb0(%9: tensor<f32>, %10: tensor<f32>):
        %11 = stablehlo.multiply %10, %7 : tensor<f32>
        %12 = stablehlo.add %9, %11 : tensor<f32>
        stablehlo.return %12 : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
      stablehlo.return %8 : tensor<4xf32>
    }) : (tensor<4x6xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}
