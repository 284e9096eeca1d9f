// Scores that have to be stored are not worth computing twice.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>, tensor<2x96xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
  %s1 = stablehlo.reshape %s0 : (tensor<2x8x12xf32>) -> tensor<2x96xf32>
  %s = stablehlo.reshape %s1 : (tensor<2x96xf32>) -> tensor<2x8x12xf32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %ninf) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %d = stablehlo.subtract %s, %mb : tensor<2x8x12xf32>
  %e = stablehlo.exponential %d : tensor<2x8x12xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %p = stablehlo.divide %e, %zb : tensor<2x8x12xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
  return %o, %s1 : tensor<2x8x20xf32>, tensor<2x96xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x16xf32>, %1: tensor<2x12x16xf32>, %2: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>, tensor<2x96xf32>) {
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x8x12xf32>) -> tensor<2x96xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x96xf32>) -> tensor<2x8x12xf32>
    %6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.constant dense<0.0> : tensor<f32>
    %8 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 2>}> ({
    ^bb0(%9: tensor<f32>, %10: tensor<f32>):
      %11 = stablehlo.maximum %9, %10 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
    %12 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
    %13 = stablehlo.subtract %5, %12 : tensor<2x8x12xf32>
    %14 = stablehlo.exponential %13 : tensor<2x8x12xf32>
    %15 = "stablehlo.reduce"(%14, %7) <{dimensions = array<i64: 2>}> ({
    ^bb0(%16: tensor<f32>, %17: tensor<f32>):
      %18 = stablehlo.add %16, %17 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
    %20 = stablehlo.divide %14, %19 : tensor<2x8x12xf32>
    %21 = stablehlo.dot_general %20, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %21, %4 : tensor<2x8x20xf32>, tensor<2x96xf32>
  }
}
