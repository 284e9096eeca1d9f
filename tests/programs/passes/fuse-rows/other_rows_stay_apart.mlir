// Not what reads another row than its own, nor few long rows, nor short ones.
// run: fuse, fuse-rows
func.func @main(%x: tensor<80x80xf32>, %few: tensor<2x20000xf32>, %short: tensor<5000x8xf32>) -> (tensor<80x80xf32>, tensor<2x20000xf32>, tensor<5000x8xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<80x80xf32>, tensor<f32>) -> tensor<80xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<80xf32>) -> tensor<80x80xf32>
  %d = stablehlo.divide %x, %sb : tensor<80x80xf32>
  %fs = stablehlo.reduce(%few init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x20000xf32>, tensor<f32>) -> tensor<2xf32>
  %fb = stablehlo.broadcast_in_dim %fs, dims = [0] : (tensor<2xf32>) -> tensor<2x20000xf32>
  %fd = stablehlo.divide %few, %fb : tensor<2x20000xf32>
  %ss = stablehlo.reduce(%short init: %z) applies stablehlo.add across dimensions = [1] : (tensor<5000x8xf32>, tensor<f32>) -> tensor<5000xf32>
  %shb = stablehlo.broadcast_in_dim %ss, dims = [0] : (tensor<5000xf32>) -> tensor<5000x8xf32>
  %sd = stablehlo.divide %short, %shb : tensor<5000x8xf32>
  return %d, %fd, %sd : tensor<80x80xf32>, tensor<2x20000xf32>, tensor<5000x8xf32>
}
// expect
module {
  func.func public @main(%0: tensor<80x80xf32>, %1: tensor<2x20000xf32>, %2: tensor<5000x8xf32>) -> (tensor<80x80xf32>, tensor<2x20000xf32>, tensor<5000x8xf32>) {
    %3 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%4: tensor<80x80xf32>):
      %5 = stablehlo.constant dense<0.0> : tensor<f32>
      %6 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 1>}> ({
      ^bb0(%7: tensor<f32>, %8: tensor<f32>):
        %9 = stablehlo.add %7, %8 : tensor<f32>
        stablehlo.return %9 : tensor<f32>
      }) : (tensor<80x80xf32>, tensor<f32>) -> tensor<80xf32>
      stablehlo.return %6 : tensor<80xf32>
    }) : (tensor<80x80xf32>) -> tensor<80xf32>
    %10 = "acceld.fusion"(%3, %0) ({
    ^bb0(%11: tensor<80xf32>, %12: tensor<80x80xf32>):
      %13 = stablehlo.broadcast_in_dim %11, dims = [1] : (tensor<80xf32>) -> tensor<80x80xf32>
      %14 = stablehlo.divide %12, %13 : tensor<80x80xf32>
      stablehlo.return %14 : tensor<80x80xf32>
    }) : (tensor<80xf32>, tensor<80x80xf32>) -> tensor<80x80xf32>
    %15 = "acceld.fusion"(%1) <{kind = reduction}> ({
    ^bb0(%16: tensor<2x20000xf32>):
      %17 = stablehlo.constant dense<0.0> : tensor<f32>
      %18 = "stablehlo.reduce"(%16, %17) <{dimensions = array<i64: 1>}> ({
      ^bb0(%19: tensor<f32>, %20: tensor<f32>):
        %21 = stablehlo.add %19, %20 : tensor<f32>
        stablehlo.return %21 : tensor<f32>
      }) : (tensor<2x20000xf32>, tensor<f32>) -> tensor<2xf32>
      stablehlo.return %18 : tensor<2xf32>
    }) : (tensor<2x20000xf32>) -> tensor<2xf32>
    %22 = "acceld.fusion"(%15, %1) ({
    ^bb0(%23: tensor<2xf32>, %24: tensor<2x20000xf32>):
      %25 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<2xf32>) -> tensor<2x20000xf32>
      %26 = stablehlo.divide %24, %25 : tensor<2x20000xf32>
      stablehlo.return %26 : tensor<2x20000xf32>
    }) : (tensor<2xf32>, tensor<2x20000xf32>) -> tensor<2x20000xf32>
    %27 = "acceld.fusion"(%2) <{kind = reduction}> ({
    ^bb0(%28: tensor<5000x8xf32>):
      %29 = stablehlo.constant dense<0.0> : tensor<f32>
      %30 = "stablehlo.reduce"(%28, %29) <{dimensions = array<i64: 1>}> ({
      ^bb0(%31: tensor<f32>, %32: tensor<f32>):
        %33 = stablehlo.add %31, %32 : tensor<f32>
        stablehlo.return %33 : tensor<f32>
      }) : (tensor<5000x8xf32>, tensor<f32>) -> tensor<5000xf32>
      stablehlo.return %30 : tensor<5000xf32>
    }) : (tensor<5000x8xf32>) -> tensor<5000xf32>
    %34 = "acceld.fusion"(%27, %2) ({
    ^bb0(%35: tensor<5000xf32>, %36: tensor<5000x8xf32>):
      %37 = stablehlo.broadcast_in_dim %35, dims = [0] : (tensor<5000xf32>) -> tensor<5000x8xf32>
      %38 = stablehlo.divide %36, %37 : tensor<5000x8xf32>
      stablehlo.return %38 : tensor<5000x8xf32>
    }) : (tensor<5000xf32>, tensor<5000x8xf32>) -> tensor<5000x8xf32>
    return %10, %22, %34 : tensor<80x80xf32>, tensor<2x20000xf32>, tensor<5000x8xf32>
  }
}
