// A product, a softmax along its columns and a second product are one op.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>) {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
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
      %8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %9 = stablehlo.constant dense<0.0> : tensor<f32>
      %10 = "stablehlo.reduce"(%7, %8) <{dimensions = array<i64: 2>}> ({
      ^bb0(%11: tensor<f32>, %12: tensor<f32>):
        %13 = stablehlo.maximum %11, %12 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %14 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %15 = stablehlo.subtract %7, %14 : tensor<2x8x12xf32>
      %16 = stablehlo.exponential %15 : tensor<2x8x12xf32>
      %17 = "stablehlo.reduce"(%16, %9) <{dimensions = array<i64: 2>}> ({
      ^bb0(%18: tensor<f32>, %19: tensor<f32>):
        %20 = stablehlo.add %18, %19 : tensor<f32>
        stablehlo.return %20 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %22 = stablehlo.divide %16, %21 : tensor<2x8x12xf32>
      %23 = stablehlo.dot_general %22, %6, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
      stablehlo.return %23 : tensor<2x8x20xf32>
    }) : (tensor<2x8x16xf32>, tensor<2x12x16xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %3 : tensor<2x8x20xf32>
  }
}
