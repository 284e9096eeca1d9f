// Unsigned numbers of 64 bits that as signed ones are negative.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>, %mask: tensor<8x12xi1>) -> (tensor<2x8x20xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
  %fill = stablehlo.constant dense<-1.0e9> : tensor<2x8x12xf32>
  %one = stablehlo.constant dense<1> : tensor<8x12xui64>
  %large = stablehlo.constant dense<18446744073709551615> : tensor<8x12xui64>
  %choice = stablehlo.select %mask, %large, %one : tensor<8x12xi1>, tensor<8x12xui64>
  %keeps = stablehlo.compare GE, %choice, %one, UNSIGNED : (tensor<8x12xui64>, tensor<8x12xui64>) -> tensor<8x12xi1>
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
    %4 = stablehlo.constant dense<1> : tensor<8x12xui64>
    %5 = stablehlo.constant dense<18446744073709551615> : tensor<8x12xui64>
    %6 = stablehlo.select %3, %5, %4 : tensor<8x12xi1>, tensor<8x12xui64>
    %7 = stablehlo.compare GE, %6, %4, UNSIGNED : (tensor<8x12xui64>, tensor<8x12xui64>) -> tensor<8x12xi1>
    %8 = "acceld.fusion"(%0, %1, %7, %2) <{kind = attention}> ({
    ^bb0(%9: tensor<2x8x16xf32>, %10: tensor<2x12x16xf32>, %11: tensor<8x12xi1>, %12: tensor<2x12x20xf32>):
      %13 = stablehlo.dot_general %9, %10, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
      %14 = stablehlo.constant dense<-1.0e+09> : tensor<2x8x12xf32>
      %15 = stablehlo.broadcast_in_dim %11, dims = [1, 2] : (tensor<8x12xi1>) -> tensor<2x8x12xi1>
      %16 = stablehlo.select %15, %13, %14 : tensor<2x8x12xi1>, tensor<2x8x12xf32>
      %17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %18 = stablehlo.constant dense<0.0> : tensor<f32>
      %19 = "stablehlo.reduce"(%16, %17) <{dimensions = array<i64: 2>}> ({
      ^bb0(%20: tensor<f32>, %21: tensor<f32>):
        %22 = stablehlo.maximum %20, %21 : tensor<f32>
        stablehlo.return %22 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %23 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %24 = stablehlo.subtract %16, %23 : tensor<2x8x12xf32>
      %25 = stablehlo.exponential %24 : tensor<2x8x12xf32>
      %26 = "stablehlo.reduce"(%25, %18) <{dimensions = array<i64: 2>}> ({
      ^bb0(%27: tensor<f32>, %28: tensor<f32>):
        %29 = stablehlo.add %27, %28 : tensor<f32>
        stablehlo.return %29 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %30 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %31 = stablehlo.divide %25, %30 : tensor<2x8x12xf32>
      %32 = stablehlo.dot_general %31, %12, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
      stablehlo.return %32 : tensor<2x8x20xf32>
    }) : (tensor<2x8x16xf32>, tensor<2x12x16xf32>, tensor<8x12xi1>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %8 : tensor<2x8x20xf32>
  }
}
