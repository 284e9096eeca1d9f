// lax.cumlogsumexp, as JAX lowers it: its reducer is no single operation.
// run: split-scans
func.func @main(%x: tensor<524288xf32>) -> tensor<524288xf32> {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 524288>, padding = dense<[[524287, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    %2 = stablehlo.subtract %a, %b : tensor<f32>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.add %a, %b : tensor<f32>
    %5 = stablehlo.abs %2 : tensor<f32>
    %6 = stablehlo.negate %5 : tensor<f32>
    %7 = stablehlo.exponential %6 : tensor<f32>
    %8 = stablehlo.log_plus_one %7 : tensor<f32>
    %9 = stablehlo.add %1, %8 : tensor<f32>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<524288xf32>, tensor<f32>) -> tensor<524288xf32>
  return %0 : tensor<524288xf32>
}
// expect
module {
  func.func public @main(%0: tensor<524288xf32>) -> tensor<524288xf32> {
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<64x8192xf32>
    %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = "stablehlo.reduce_window"(%2, %3) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [8191, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 8192>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      %7 = stablehlo.maximum %5, %6 : tensor<f32>
      %8 = stablehlo.subtract %5, %6 : tensor<f32>
      %9 = stablehlo.compare NE, %8, %8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %10 = stablehlo.add %5, %6 : tensor<f32>
      %11 = stablehlo.abs %8 : tensor<f32>
      %12 = stablehlo.negate %11 : tensor<f32>
      %13 = stablehlo.exponential %12 : tensor<f32>
      %14 = stablehlo.log_plus_one %13 : tensor<f32>
      %15 = stablehlo.add %7, %14 : tensor<f32>
      %16 = stablehlo.select %9, %10, %15 : tensor<i1>, tensor<f32>
      stablehlo.return %16 : tensor<f32>
    }) : (tensor<64x8192xf32>, tensor<f32>) -> tensor<64x8192xf32>
    %17 = stablehlo.slice %4 [0:64, 8191:8192] : (tensor<64x8192xf32>) -> tensor<64x1xf32>
    %18 = stablehlo.reshape %17 : (tensor<64x1xf32>) -> tensor<64xf32>
    %19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.pad %18, %19, low = [1], high = [-1], interior = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = "stablehlo.reduce_window"(%20, %21) <{base_dilations = array<i64: 1>, padding = dense<[[63, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 64>, window_strides = array<i64: 1>}> ({
    ^bb0(%23: tensor<f32>, %24: tensor<f32>):
      %25 = stablehlo.maximum %23, %24 : tensor<f32>
      %26 = stablehlo.subtract %23, %24 : tensor<f32>
      %27 = stablehlo.compare NE, %26, %26, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %28 = stablehlo.add %23, %24 : tensor<f32>
      %29 = stablehlo.abs %26 : tensor<f32>
      %30 = stablehlo.negate %29 : tensor<f32>
      %31 = stablehlo.exponential %30 : tensor<f32>
      %32 = stablehlo.log_plus_one %31 : tensor<f32>
      %33 = stablehlo.add %25, %32 : tensor<f32>
      %34 = stablehlo.select %27, %28, %33 : tensor<i1>, tensor<f32>
      stablehlo.return %34 : tensor<f32>
    }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
    %35 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<64xf32>) -> tensor<64x8192xf32>
    %36 = stablehlo.maximum %35, %4 : tensor<64x8192xf32>
    %37 = stablehlo.subtract %35, %4 : tensor<64x8192xf32>
    %38 = stablehlo.compare NE, %37, %37, FLOAT : (tensor<64x8192xf32>, tensor<64x8192xf32>) -> tensor<64x8192xi1>
    %39 = stablehlo.add %35, %4 : tensor<64x8192xf32>
    %40 = stablehlo.abs %37 : tensor<64x8192xf32>
    %41 = stablehlo.negate %40 : tensor<64x8192xf32>
    %42 = stablehlo.exponential %41 : tensor<64x8192xf32>
    %43 = stablehlo.log_plus_one %42 : tensor<64x8192xf32>
    %44 = stablehlo.add %36, %43 : tensor<64x8192xf32>
    %45 = stablehlo.select %38, %39, %44 : tensor<64x8192xi1>, tensor<64x8192xf32>
    %46 = stablehlo.reshape %45 : (tensor<64x8192xf32>) -> tensor<524288xf32>
    return %46 : tensor<524288xf32>
  }
}
