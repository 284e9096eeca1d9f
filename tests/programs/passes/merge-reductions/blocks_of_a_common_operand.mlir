// The common operand is reduced in blocks: one sum reads another shape of it, the other computes with it first.
// run: split-reductions, fuse, fuse-rows, merge-reductions
func.func @main(%x: tensor<4096x1024xf32>, %d: tensor<4096x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  %p = stablehlo.multiply %d, %x : tensor<4096x1024xf32>
  %b = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %a, %b : tensor<1024xf32>, tensor<1024xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4096x1024xf32>, %1: tensor<4096x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
    %2 = stablehlo.reshape %1 : (tensor<4096x1024xf32>) -> tensor<64x64x1024xf32>
    %3:2 = "acceld.fusion"(%2, %1, %0) <{kind = reduction}> ({
    ^bb0(%4: tensor<64x64x1024xf32>, %5: tensor<4096x1024xf32>, %6: tensor<4096x1024xf32>):
      %7 = stablehlo.constant dense<-0.0> : tensor<f32>
      %8 = "stablehlo.reduce"(%4, %7) <{dimensions = array<i64: 1>}> ({
      ^bb0(%9: tensor<f32>, %10: tensor<f32>):
        %11 = stablehlo.add %9, %10 : tensor<f32>
        stablehlo.return %11 : tensor<f32>
      }) : (tensor<64x64x1024xf32>, tensor<f32>) -> tensor<64x1024xf32>
      %12 = stablehlo.multiply %5, %6 : tensor<4096x1024xf32>
      %13 = stablehlo.constant dense<-0.0> : tensor<f32>
      %14 = stablehlo.reshape %12 : (tensor<4096x1024xf32>) -> tensor<64x64x1024xf32>
      %15 = "stablehlo.reduce"(%14, %13) <{dimensions = array<i64: 1>}> ({
      ^bb0(%16: tensor<f32>, %17: tensor<f32>):
        %18 = stablehlo.add %16, %17 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<64x64x1024xf32>, tensor<f32>) -> tensor<64x1024xf32>
      stablehlo.return %8, %15 : tensor<64x1024xf32>, tensor<64x1024xf32>
    }) : (tensor<64x64x1024xf32>, tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> (tensor<64x1024xf32>, tensor<64x1024xf32>)
    %19 = "acceld.fusion"(%3#0) <{kind = reduction}> ({
    ^bb0(%20: tensor<64x1024xf32>):
      %21 = stablehlo.constant dense<0.0> : tensor<f32>
      %22 = "stablehlo.reduce"(%20, %21) <{dimensions = array<i64: 0>}> ({
      ^bb0(%23: tensor<f32>, %24: tensor<f32>):
        %25 = stablehlo.add %23, %24 : tensor<f32>
        stablehlo.return %25 : tensor<f32>
      }) : (tensor<64x1024xf32>, tensor<f32>) -> tensor<1024xf32>
      stablehlo.return %22 : tensor<1024xf32>
    }) : (tensor<64x1024xf32>) -> tensor<1024xf32>
    %26 = "acceld.fusion"(%3#1) <{kind = reduction}> ({
    ^bb0(%27: tensor<64x1024xf32>):
      %28 = stablehlo.constant dense<0.0> : tensor<f32>
      %29 = "stablehlo.reduce"(%27, %28) <{dimensions = array<i64: 0>}> ({
      ^bb0(%30: tensor<f32>, %31: tensor<f32>):
        %32 = stablehlo.add %30, %31 : tensor<f32>
        stablehlo.return %32 : tensor<f32>
      }) : (tensor<64x1024xf32>, tensor<f32>) -> tensor<1024xf32>
      stablehlo.return %29 : tensor<1024xf32>
    }) : (tensor<64x1024xf32>) -> tensor<1024xf32>
    return %19, %26 : tensor<1024xf32>, tensor<1024xf32>
  }
}
