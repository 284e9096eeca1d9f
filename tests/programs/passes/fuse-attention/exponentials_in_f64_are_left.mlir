// Who computes in f64 wants it.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s0 init: %ninf) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %d = stablehlo.subtract %s0, %mb : tensor<2x8x12xf32>
  %d64 = stablehlo.convert %d : (tensor<2x8x12xf32>) -> tensor<2x8x12xf64>
  %zero64 = stablehlo.constant dense<0.0> : tensor<f64>
  %e = stablehlo.exponential %d64 : tensor<2x8x12xf64>
  %z = stablehlo.reduce(%e init: %zero64) applies stablehlo.add across dimensions = [2] : (tensor<2x8x12xf64>, tensor<f64>) -> tensor<2x8xf64>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1] : (tensor<2x8xf64>) -> tensor<2x8x12xf64>
  %p64 = stablehlo.divide %e, %zb : tensor<2x8x12xf64>
  %p = stablehlo.convert %p64 : (tensor<2x8x12xf64>) -> tensor<2x8x12xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
  return %o : tensor<2x8x20xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x16xf32>, %1: tensor<2x12x16xf32>, %2: tensor<2x12x20xf32>) -> tensor<2x8x20xf32> {
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
    %12 = stablehlo.convert %11 : (tensor<2x8x12xf32>) -> tensor<2x8x12xf64>
    %13 = stablehlo.constant dense<0.0> : tensor<f64>
    %14 = stablehlo.exponential %12 : tensor<2x8x12xf64>
    %15 = "stablehlo.reduce"(%14, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%16: tensor<f64>, %17: tensor<f64>):
      %18 = stablehlo.add %16, %17 : tensor<f64>
      stablehlo.return %18 : tensor<f64>
    }) : (tensor<2x8x12xf64>, tensor<f64>) -> tensor<2x8xf64>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x8xf64>) -> tensor<2x8x12xf64>
    %20 = stablehlo.divide %14, %19 : tensor<2x8x12xf64>
    %21 = stablehlo.convert %20 : (tensor<2x8x12xf64>) -> tensor<2x8x12xf32>
    %22 = stablehlo.dot_general %21, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %22 : tensor<2x8x20xf32>
  }
}
