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
    %2 = stablehlo.reshape %0 : (tensor<524288xf32>) -> tensor<32768x16xf32>
    %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = "stablehlo.reduce_window"(%2, %3) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
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
    }) : (tensor<32768x16xf32>, tensor<f32>) -> tensor<32768x16xf32>
    %17 = stablehlo.slice %4 [0:32768, 15:16] : (tensor<32768x16xf32>) -> tensor<32768x1xf32>
    %18 = stablehlo.reshape %17 : (tensor<32768x1xf32>) -> tensor<32768xf32>
    %19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.pad %18, %19, low = [1], high = [-1], interior = [0] : (tensor<32768xf32>, tensor<f32>) -> tensor<32768xf32>
    %21 = stablehlo.convert %20 : (tensor<32768xf32>) -> tensor<32768xf64>
    %22 = stablehlo.reshape %21 : (tensor<32768xf64>) -> tensor<2048x16xf64>
    %23 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %24 = "stablehlo.reduce_window"(%22, %23) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%25: tensor<f64>, %26: tensor<f64>):
      %27 = stablehlo.maximum %25, %26 : tensor<f64>
      %28 = stablehlo.subtract %25, %26 : tensor<f64>
      %29 = stablehlo.compare NE, %28, %28, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %30 = stablehlo.add %25, %26 : tensor<f64>
      %31 = stablehlo.abs %28 : tensor<f64>
      %32 = stablehlo.negate %31 : tensor<f64>
      %33 = stablehlo.exponential %32 : tensor<f64>
      %34 = stablehlo.log_plus_one %33 : tensor<f64>
      %35 = stablehlo.add %27, %34 : tensor<f64>
      %36 = stablehlo.select %29, %30, %35 : tensor<i1>, tensor<f64>
      stablehlo.return %36 : tensor<f64>
    }) : (tensor<2048x16xf64>, tensor<f64>) -> tensor<2048x16xf64>
    %37 = stablehlo.slice %24 [0:2048, 15:16] : (tensor<2048x16xf64>) -> tensor<2048x1xf64>
    %38 = stablehlo.reshape %37 : (tensor<2048x1xf64>) -> tensor<2048xf64>
    %39 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %40 = stablehlo.pad %38, %39, low = [1], high = [-1], interior = [0] : (tensor<2048xf64>, tensor<f64>) -> tensor<2048xf64>
    %41 = stablehlo.reshape %40 : (tensor<2048xf64>) -> tensor<128x16xf64>
    %42 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %43 = "stablehlo.reduce_window"(%41, %42) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%44: tensor<f64>, %45: tensor<f64>):
      %46 = stablehlo.maximum %44, %45 : tensor<f64>
      %47 = stablehlo.subtract %44, %45 : tensor<f64>
      %48 = stablehlo.compare NE, %47, %47, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %49 = stablehlo.add %44, %45 : tensor<f64>
      %50 = stablehlo.abs %47 : tensor<f64>
      %51 = stablehlo.negate %50 : tensor<f64>
      %52 = stablehlo.exponential %51 : tensor<f64>
      %53 = stablehlo.log_plus_one %52 : tensor<f64>
      %54 = stablehlo.add %46, %53 : tensor<f64>
      %55 = stablehlo.select %48, %49, %54 : tensor<i1>, tensor<f64>
      stablehlo.return %55 : tensor<f64>
    }) : (tensor<128x16xf64>, tensor<f64>) -> tensor<128x16xf64>
    %56 = stablehlo.slice %43 [0:128, 15:16] : (tensor<128x16xf64>) -> tensor<128x1xf64>
    %57 = stablehlo.reshape %56 : (tensor<128x1xf64>) -> tensor<128xf64>
    %58 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %59 = stablehlo.pad %57, %58, low = [1], high = [-1], interior = [0] : (tensor<128xf64>, tensor<f64>) -> tensor<128xf64>
    %60 = stablehlo.reshape %59 : (tensor<128xf64>) -> tensor<8x16xf64>
    %61 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %62 = "stablehlo.reduce_window"(%60, %61) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%63: tensor<f64>, %64: tensor<f64>):
      %65 = stablehlo.maximum %63, %64 : tensor<f64>
      %66 = stablehlo.subtract %63, %64 : tensor<f64>
      %67 = stablehlo.compare NE, %66, %66, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %68 = stablehlo.add %63, %64 : tensor<f64>
      %69 = stablehlo.abs %66 : tensor<f64>
      %70 = stablehlo.negate %69 : tensor<f64>
      %71 = stablehlo.exponential %70 : tensor<f64>
      %72 = stablehlo.log_plus_one %71 : tensor<f64>
      %73 = stablehlo.add %65, %72 : tensor<f64>
      %74 = stablehlo.select %67, %68, %73 : tensor<i1>, tensor<f64>
      stablehlo.return %74 : tensor<f64>
    }) : (tensor<8x16xf64>, tensor<f64>) -> tensor<8x16xf64>
    %75 = stablehlo.slice %62 [0:8, 15:16] : (tensor<8x16xf64>) -> tensor<8x1xf64>
    %76 = stablehlo.reshape %75 : (tensor<8x1xf64>) -> tensor<8xf64>
    %77 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %78 = stablehlo.pad %76, %77, low = [1], high = [-1], interior = [0] : (tensor<8xf64>, tensor<f64>) -> tensor<8xf64>
    %79 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %80 = "stablehlo.reduce_window"(%78, %79) <{base_dilations = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 8>, window_strides = array<i64: 1>}> ({
    ^bb0(%81: tensor<f64>, %82: tensor<f64>):
      %83 = stablehlo.maximum %81, %82 : tensor<f64>
      %84 = stablehlo.subtract %81, %82 : tensor<f64>
      %85 = stablehlo.compare NE, %84, %84, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %86 = stablehlo.add %81, %82 : tensor<f64>
      %87 = stablehlo.abs %84 : tensor<f64>
      %88 = stablehlo.negate %87 : tensor<f64>
      %89 = stablehlo.exponential %88 : tensor<f64>
      %90 = stablehlo.log_plus_one %89 : tensor<f64>
      %91 = stablehlo.add %83, %90 : tensor<f64>
      %92 = stablehlo.select %85, %86, %91 : tensor<i1>, tensor<f64>
      stablehlo.return %92 : tensor<f64>
    }) : (tensor<8xf64>, tensor<f64>) -> tensor<8xf64>
    %93 = stablehlo.broadcast_in_dim %80, dims = [0] : (tensor<8xf64>) -> tensor<8x16xf64>
    %94 = stablehlo.maximum %93, %62 : tensor<8x16xf64>
    %95 = stablehlo.subtract %93, %62 : tensor<8x16xf64>
    %96 = stablehlo.compare NE, %95, %95, FLOAT : (tensor<8x16xf64>, tensor<8x16xf64>) -> tensor<8x16xi1>
    %97 = stablehlo.add %93, %62 : tensor<8x16xf64>
    %98 = stablehlo.abs %95 : tensor<8x16xf64>
    %99 = stablehlo.negate %98 : tensor<8x16xf64>
    %100 = stablehlo.exponential %99 : tensor<8x16xf64>
    %101 = stablehlo.log_plus_one %100 : tensor<8x16xf64>
    %102 = stablehlo.add %94, %101 : tensor<8x16xf64>
    %103 = stablehlo.select %96, %97, %102 : tensor<8x16xi1>, tensor<8x16xf64>
    %104 = stablehlo.reshape %103 : (tensor<8x16xf64>) -> tensor<128xf64>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0] : (tensor<128xf64>) -> tensor<128x16xf64>
    %106 = stablehlo.maximum %105, %43 : tensor<128x16xf64>
    %107 = stablehlo.subtract %105, %43 : tensor<128x16xf64>
    %108 = stablehlo.compare NE, %107, %107, FLOAT : (tensor<128x16xf64>, tensor<128x16xf64>) -> tensor<128x16xi1>
    %109 = stablehlo.add %105, %43 : tensor<128x16xf64>
    %110 = stablehlo.abs %107 : tensor<128x16xf64>
    %111 = stablehlo.negate %110 : tensor<128x16xf64>
    %112 = stablehlo.exponential %111 : tensor<128x16xf64>
    %113 = stablehlo.log_plus_one %112 : tensor<128x16xf64>
    %114 = stablehlo.add %106, %113 : tensor<128x16xf64>
    %115 = stablehlo.select %108, %109, %114 : tensor<128x16xi1>, tensor<128x16xf64>
    %116 = stablehlo.reshape %115 : (tensor<128x16xf64>) -> tensor<2048xf64>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0] : (tensor<2048xf64>) -> tensor<2048x16xf64>
    %118 = stablehlo.maximum %117, %24 : tensor<2048x16xf64>
    %119 = stablehlo.subtract %117, %24 : tensor<2048x16xf64>
    %120 = stablehlo.compare NE, %119, %119, FLOAT : (tensor<2048x16xf64>, tensor<2048x16xf64>) -> tensor<2048x16xi1>
    %121 = stablehlo.add %117, %24 : tensor<2048x16xf64>
    %122 = stablehlo.abs %119 : tensor<2048x16xf64>
    %123 = stablehlo.negate %122 : tensor<2048x16xf64>
    %124 = stablehlo.exponential %123 : tensor<2048x16xf64>
    %125 = stablehlo.log_plus_one %124 : tensor<2048x16xf64>
    %126 = stablehlo.add %118, %125 : tensor<2048x16xf64>
    %127 = stablehlo.select %120, %121, %126 : tensor<2048x16xi1>, tensor<2048x16xf64>
    %128 = stablehlo.reshape %127 : (tensor<2048x16xf64>) -> tensor<32768xf64>
    %129 = stablehlo.convert %128 : (tensor<32768xf64>) -> tensor<32768xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0] : (tensor<32768xf32>) -> tensor<32768x16xf32>
    %131 = stablehlo.maximum %130, %4 : tensor<32768x16xf32>
    %132 = stablehlo.subtract %130, %4 : tensor<32768x16xf32>
    %133 = stablehlo.compare NE, %132, %132, FLOAT : (tensor<32768x16xf32>, tensor<32768x16xf32>) -> tensor<32768x16xi1>
    %134 = stablehlo.add %130, %4 : tensor<32768x16xf32>
    %135 = stablehlo.abs %132 : tensor<32768x16xf32>
    %136 = stablehlo.negate %135 : tensor<32768x16xf32>
    %137 = stablehlo.exponential %136 : tensor<32768x16xf32>
    %138 = stablehlo.log_plus_one %137 : tensor<32768x16xf32>
    %139 = stablehlo.add %131, %138 : tensor<32768x16xf32>
    %140 = stablehlo.select %133, %134, %139 : tensor<32768x16xi1>, tensor<32768x16xf32>
    %141 = stablehlo.reshape %140 : (tensor<32768x16xf32>) -> tensor<524288xf32>
    return %141 : tensor<524288xf32>
  }
}
