// No kernel computes in f64.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf64>, %k: tensor<2x12x16xf64>, %v: tensor<2x12x20xf64>) -> (tensor<2x8x20xf64>) {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf64>, tensor<2x12x16xf64>) -> tensor<2x8x12xf64>
  %ninf = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %m = stablehlo.reduce(%s init: %ninf) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x12xf64>, tensor<f64>) -> tensor<2x8xf64>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x8xf64>) -> tensor<2x8x12xf64>
  %d = stablehlo.subtract %s, %mb : tensor<2x8x12xf64>
  %e = stablehlo.exponential %d : tensor<2x8x12xf64>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x8x12xf64>, tensor<f64>) -> tensor<2x8xf64>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1] : (tensor<2x8xf64>) -> tensor<2x8x12xf64>
  %p = stablehlo.divide %e, %zb : tensor<2x8x12xf64>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf64>, tensor<2x12x20xf64>) -> tensor<2x8x20xf64>
  return %o : tensor<2x8x20xf64>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x16xf64>, %1: tensor<2x12x16xf64>, %2: tensor<2x12x20xf64>) -> tensor<2x8x20xf64> {
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf64>, tensor<2x12x16xf64>) -> tensor<2x8x12xf64>
    %4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %5 = stablehlo.constant dense<0.0> : tensor<f64>
    %6 = "stablehlo.reduce"(%3, %4) <{dimensions = array<i64: 2>}> ({
    ^bb0(%7: tensor<f64>, %8: tensor<f64>):
      %9 = stablehlo.maximum %7, %8 : tensor<f64>
      stablehlo.return %9 : tensor<f64>
    }) : (tensor<2x8x12xf64>, tensor<f64>) -> tensor<2x8xf64>
    %10 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<2x8xf64>) -> tensor<2x8x12xf64>
    %11 = stablehlo.subtract %3, %10 : tensor<2x8x12xf64>
    %12 = stablehlo.exponential %11 : tensor<2x8x12xf64>
    %13 = "stablehlo.reduce"(%12, %5) <{dimensions = array<i64: 2>}> ({
    ^bb0(%14: tensor<f64>, %15: tensor<f64>):
      %16 = stablehlo.add %14, %15 : tensor<f64>
      stablehlo.return %16 : tensor<f64>
    }) : (tensor<2x8x12xf64>, tensor<f64>) -> tensor<2x8xf64>
    %17 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<2x8xf64>) -> tensor<2x8x12xf64>
    %18 = stablehlo.divide %12, %17 : tensor<2x8x12xf64>
    %19 = stablehlo.dot_general %18, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf64>, tensor<2x12x20xf64>) -> tensor<2x8x20xf64>
    return %19 : tensor<2x8x20xf64>
  }
}
