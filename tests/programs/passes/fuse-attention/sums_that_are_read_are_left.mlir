// A sum that somebody else reads makes all scores and exponentials be stored.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>, tensor<2x8x12xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s0 init: %ninf) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %d = stablehlo.subtract %s0, %mb : tensor<2x8x12xf32>
  %e = stablehlo.exponential %d : tensor<2x8x12xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %p = stablehlo.divide %e, %zb : tensor<2x8x12xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
  return %o, %zb : tensor<2x8x20xf32>, tensor<2x8x12xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x16xf32>, %1: tensor<2x12x16xf32>, %2: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>, tensor<2x8x12xf32>) {
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
    %4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.constant dense<0.0> : tensor<f32>
    %6 = "stablehlo.reduce"(%3, %4) <{dimensions = array<i64: 2>}> ({
    ^bb0(%7: tensor<f32>, %8: tensor<f32>):
      %9 = stablehlo.maximum %7, %8 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
    %10 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
    %11 = stablehlo.subtract %3, %10 : tensor<2x8x12xf32>
    %12 = stablehlo.exponential %11 : tensor<2x8x12xf32>
    %13 = "stablehlo.reduce"(%12, %5) <{dimensions = array<i64: 2>}> ({
    ^bb0(%14: tensor<f32>, %15: tensor<f32>):
      %16 = stablehlo.add %14, %15 : tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
    %17 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
    %18 = stablehlo.divide %12, %17 : tensor<2x8x12xf32>
    %19 = stablehlo.dot_general %18, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %19, %17 : tensor<2x8x20xf32>, tensor<2x8x12xf32>
  }
}
