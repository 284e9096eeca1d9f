// Zeros with different signs are not the same in a total order.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>, %mask: tensor<8x12xi1>) -> (tensor<2x8x20xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
  %fill = stablehlo.constant dense<-1.0e9> : tensor<2x8x12xf32>
  %none = stablehlo.constant dense<0.0> : tensor<8x12xf32>
  %less = stablehlo.constant dense<-0.0> : tensor<8x12xf32>
  %minus = stablehlo.constant dense<-1.0> : tensor<8x12xf32>
  %choice = stablehlo.select %mask, %less, %minus : tensor<8x12xi1>, tensor<8x12xf32>
  %keeps = stablehlo.compare GE, %choice, %none, TOTALORDER : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xi1>
  %kb = stablehlo.broadcast_in_dim %keeps, dims = [1, 2] : (tensor<8x12xi1>) -> tensor<2x8x12xi1>
  %s = stablehlo.select %kb, %s0, %fill : tensor<2x8x12xi1>, tensor<2x8x12xf32>
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
  func.func public @main(%0: tensor<2x8x16xf32>, %1: tensor<2x12x16xf32>, %2: tensor<2x12x20xf32>, %3: tensor<8x12xi1>) -> tensor<2x8x20xf32> {
    %4 = stablehlo.constant dense<0.0> : tensor<8x12xf32>
    %5 = stablehlo.constant dense<-0.0> : tensor<8x12xf32>
    %6 = stablehlo.constant dense<-1.0> : tensor<8x12xf32>
    %7 = stablehlo.select %3, %5, %6 : tensor<8x12xi1>, tensor<8x12xf32>
    %8 = stablehlo.compare GE, %7, %4, TOTALORDER : (tensor<8x12xf32>, tensor<8x12xf32>) -> tensor<8x12xi1>
    %9 = "acceld.fusion"(%0, %1, %8, %2) <{kind = attention}> ({
    ^bb0(%10: tensor<2x8x16xf32>, %11: tensor<2x12x16xf32>, %12: tensor<8x12xi1>, %13: tensor<2x12x20xf32>):
      %14 = stablehlo.dot_general %10, %11, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
      %15 = stablehlo.constant dense<-1.0e+09> : tensor<2x8x12xf32>
      %16 = stablehlo.broadcast_in_dim %12, dims = [1, 2] : (tensor<8x12xi1>) -> tensor<2x8x12xi1>
      %17 = stablehlo.select %16, %14, %15 : tensor<2x8x12xi1>, tensor<2x8x12xf32>
      %18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %19 = stablehlo.constant dense<0.0> : tensor<f32>
      %20 = "stablehlo.reduce"(%17, %18) <{dimensions = array<i64: 2>}> ({
      ^bb0(%21: tensor<f32>, %22: tensor<f32>):
        %23 = stablehlo.maximum %21, %22 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %25 = stablehlo.subtract %17, %24 : tensor<2x8x12xf32>
      %26 = stablehlo.exponential %25 : tensor<2x8x12xf32>
      %27 = "stablehlo.reduce"(%26, %19) <{dimensions = array<i64: 2>}> ({
      ^bb0(%28: tensor<f32>, %29: tensor<f32>):
        %30 = stablehlo.add %28, %29 : tensor<f32>
        stablehlo.return %30 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %31 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %32 = stablehlo.divide %26, %31 : tensor<2x8x12xf32>
      %33 = stablehlo.dot_general %32, %13, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
      stablehlo.return %33 : tensor<2x8x20xf32>
    }) : (tensor<2x8x16xf32>, tensor<2x12x16xf32>, tensor<8x12xi1>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %9 : tensor<2x8x20xf32>
  }
}
