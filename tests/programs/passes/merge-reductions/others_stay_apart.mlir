// Other dimensions, one that needs the other's result, no common operand, and small ones.
// run: fuse, merge-reductions
func.func @main(%x: tensor<256x1000xf32>, %d: tensor<256x1000xf32>, %t: tensor<16x16xf32>) -> (tensor<1000xf32>, tensor<256xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<16xf32>, tensor<16xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %b = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [1] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<256xf32>
  %ab = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<1000xf32>) -> tensor<256x1000xf32>
  %p = stablehlo.multiply %d, %ab : tensor<256x1000xf32>
  %c = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %e = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %f = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = [0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
  %g = stablehlo.reduce(%t init: %m) applies stablehlo.maximum across dimensions = [0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
  return %a, %b, %c, %e, %f, %g : tensor<1000xf32>, tensor<256xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<16xf32>, tensor<16xf32>
}
// expect
module {
  func.func public @main(%0: tensor<256x1000xf32>, %1: tensor<256x1000xf32>, %2: tensor<16x16xf32>) -> (tensor<1000xf32>, tensor<256xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<16xf32>, tensor<16xf32>) {
    %3 = "acceld.fusion"(%1) <{kind = reduction}> ({
    ^bb0(%4: tensor<256x1000xf32>):
      %5 = stablehlo.constant dense<0.0> : tensor<f32>
      %6 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 0>}> ({
      ^bb0(%7: tensor<f32>, %8: tensor<f32>):
        %9 = stablehlo.add %7, %8 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      stablehlo.return %6 : tensor<1000xf32>
    }) : (tensor<256x1000xf32>) -> tensor<1000xf32>
    %10 = "acceld.fusion"(%1) <{kind = reduction}> ({
    ^bb0(%11: tensor<256x1000xf32>):
      %12 = stablehlo.constant dense<0.0> : tensor<f32>
      %13 = "stablehlo.reduce"(%11, %12) <{dimensions = array<i64: 1>}> ({
      ^bb0(%14: tensor<f32>, %15: tensor<f32>):
        %16 = stablehlo.add %14, %15 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<256xf32>
      stablehlo.return %13 : tensor<256xf32>
    }) : (tensor<256x1000xf32>) -> tensor<256xf32>
    %17 = "acceld.fusion"(%3, %1) <{kind = reduction}> ({
    ^bb0(%18: tensor<1000xf32>, %19: tensor<256x1000xf32>):
      %20 = stablehlo.constant dense<0.0> : tensor<f32>
      %21 = stablehlo.broadcast_in_dim %18, dims = [1] : (tensor<1000xf32>) -> tensor<256x1000xf32>
      %22 = stablehlo.multiply %19, %21 : tensor<256x1000xf32>
      %23 = "stablehlo.reduce"(%22, %20) <{dimensions = array<i64: 0>}> ({
      ^bb0(%24: tensor<f32>, %25: tensor<f32>):
        %26 = stablehlo.add %24, %25 : tensor<f32>
        stablehlo.return %26 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      stablehlo.return %23 : tensor<1000xf32>
    }) : (tensor<1000xf32>, tensor<256x1000xf32>) -> tensor<1000xf32>
    %27 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%28: tensor<256x1000xf32>):
      %29 = stablehlo.constant dense<0.0> : tensor<f32>
      %30 = "stablehlo.reduce"(%28, %29) <{dimensions = array<i64: 0>}> ({
      ^bb0(%31: tensor<f32>, %32: tensor<f32>):
        %33 = stablehlo.add %31, %32 : tensor<f32>
        stablehlo.return %33 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      stablehlo.return %30 : tensor<1000xf32>
    }) : (tensor<256x1000xf32>) -> tensor<1000xf32>
    %34 = "acceld.fusion"(%2) <{kind = reduction}> ({
    ^bb0(%35: tensor<16x16xf32>):
      %36 = stablehlo.constant dense<0.0> : tensor<f32>
      %37 = "stablehlo.reduce"(%35, %36) <{dimensions = array<i64: 0>}> ({
      ^bb0(%38: tensor<f32>, %39: tensor<f32>):
        %40 = stablehlo.add %38, %39 : tensor<f32>
        stablehlo.return %40 : tensor<f32>
      }) : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
      stablehlo.return %37 : tensor<16xf32>
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    %41 = "acceld.fusion"(%2) <{kind = reduction}> ({
    ^bb0(%42: tensor<16x16xf32>):
      %43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %44 = "stablehlo.reduce"(%42, %43) <{dimensions = array<i64: 0>}> ({
      ^bb0(%45: tensor<f32>, %46: tensor<f32>):
        %47 = stablehlo.maximum %45, %46 : tensor<f32>
        stablehlo.return %47 : tensor<f32>
      }) : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
      stablehlo.return %44 : tensor<16xf32>
    }) : (tensor<16x16xf32>) -> tensor<16xf32>
    return %3, %10, %17, %27, %34, %41 : tensor<1000xf32>, tensor<256xf32>, tensor<1000xf32>, tensor<1000xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
