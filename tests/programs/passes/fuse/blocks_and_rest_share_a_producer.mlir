// Two reductions over disjoint parts of what one exponential gives: neither repeats the other's work.
// run: fuse
func.func @main(%x: tensor<2051xf32>, %z: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
  %0 = stablehlo.exponential %x : tensor<2051xf32>
  %1 = stablehlo.slice %0 [0:2048] : (tensor<2051xf32>) -> tensor<2048xf32>
  %2 = stablehlo.reshape %1 : (tensor<2048xf32>) -> tensor<2x1024xf32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x1024xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = stablehlo.slice %0 [2048:2051] : (tensor<2051xf32>) -> tensor<3xf32>
  %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %3, %5 : tensor<2xf32>, tensor<f32>
}
// expect
module {
  func.func public @main(%0: tensor<2051xf32>, %1: tensor<f32>) -> (tensor<2xf32>, tensor<f32>) {
    %2 = "acceld.fusion"(%0, %1) <{kind = reduction}> ({
    ^bb0(%3: tensor<2051xf32>, %4: tensor<f32>):
      %5 = stablehlo.exponential %3 : tensor<2051xf32>
      %6 = stablehlo.slice %5 [0:2048] : (tensor<2051xf32>) -> tensor<2048xf32>
      %7 = stablehlo.reshape %6 : (tensor<2048xf32>) -> tensor<2x1024xf32>
      %8 = "stablehlo.reduce"(%7, %4) <{dimensions = array<i64: 1>}> ({
      ^bb0(%9: tensor<f32>, %10: tensor<f32>):
        %11 = stablehlo.add %9, %10 : tensor<f32>
        stablehlo.return %11 : tensor<f32>
      }) : (tensor<2x1024xf32>, tensor<f32>) -> tensor<2xf32>
      stablehlo.return %8 : tensor<2xf32>
    }) : (tensor<2051xf32>, tensor<f32>) -> tensor<2xf32>
    %12 = "acceld.fusion"(%0, %1) <{kind = reduction}> ({
    ^bb0(%13: tensor<2051xf32>, %14: tensor<f32>):
      %15 = stablehlo.exponential %13 : tensor<2051xf32>
      %16 = stablehlo.slice %15 [2048:2051] : (tensor<2051xf32>) -> tensor<3xf32>
      %17 = "stablehlo.reduce"(%16, %14) <{dimensions = array<i64: 0>}> ({
      ^bb0(%18: tensor<f32>, %19: tensor<f32>):
        %20 = stablehlo.add %18, %19 : tensor<f32>
        stablehlo.return %20 : tensor<f32>
      }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) : (tensor<2051xf32>, tensor<f32>) -> tensor<f32>
    return %2, %12 : tensor<2xf32>, tensor<f32>
  }
}
