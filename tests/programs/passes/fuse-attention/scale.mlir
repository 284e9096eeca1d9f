// A scale of the scores is a part of it.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
  %c = stablehlo.constant dense<0.25> : tensor<f32>
  %cb = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<2x8x12xf32>
  %s = stablehlo.multiply %s0, %cb : tensor<2x8x12xf32>
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
  return %o : tensor<2x8x20xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x16xf32>, %1: tensor<2x12x16xf32>, %2: tensor<2x12x20xf32>) -> tensor<2x8x20xf32> {
    %3 = "acceld.fusion"(%0, %1, %2) <{kind = attention}> ({
    ^bb0(%4: tensor<2x8x16xf32>, %5: tensor<2x12x16xf32>, %6: tensor<2x12x20xf32>):
      %7 = stablehlo.dot_general %4, %5, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
      %8 = stablehlo.constant dense<0.25> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<2x8x12xf32>
      %10 = stablehlo.multiply %7, %9 : tensor<2x8x12xf32>
      %11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %12 = stablehlo.constant dense<0.0> : tensor<f32>
      %13 = "stablehlo.reduce"(%10, %11) <{dimensions = array<i64: 2>}> ({
      ^bb0(%14: tensor<f32>, %15: tensor<f32>):
        %16 = stablehlo.maximum %14, %15 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %17 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %18 = stablehlo.subtract %10, %17 : tensor<2x8x12xf32>
      %19 = stablehlo.exponential %18 : tensor<2x8x12xf32>
      %20 = "stablehlo.reduce"(%19, %12) <{dimensions = array<i64: 2>}> ({
      ^bb0(%21: tensor<f32>, %22: tensor<f32>):
        %23 = stablehlo.add %21, %22 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %25 = stablehlo.divide %19, %24 : tensor<2x8x12xf32>
      %26 = stablehlo.dot_general %25, %6, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
      stablehlo.return %26 : tensor<2x8x20xf32>
    }) : (tensor<2x8x16xf32>, tensor<2x12x16xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %3 : tensor<2x8x20xf32>
  }
}
