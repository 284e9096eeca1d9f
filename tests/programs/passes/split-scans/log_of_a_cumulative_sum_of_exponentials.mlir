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
    %21 = stablehlo.reshape %20 : (tensor<32768xf32>) -> tensor<2048x16xf32>
    %22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %23 = "stablehlo.reduce_window"(%21, %22) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%24: tensor<f32>, %25: tensor<f32>):
      %26 = stablehlo.maximum %24, %25 : tensor<f32>
      %27 = stablehlo.subtract %24, %25 : tensor<f32>
      %28 = stablehlo.compare NE, %27, %27, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %29 = stablehlo.add %24, %25 : tensor<f32>
      %30 = stablehlo.abs %27 : tensor<f32>
      %31 = stablehlo.negate %30 : tensor<f32>
      %32 = stablehlo.exponential %31 : tensor<f32>
      %33 = stablehlo.log_plus_one %32 : tensor<f32>
      %34 = stablehlo.add %26, %33 : tensor<f32>
      %35 = stablehlo.select %28, %29, %34 : tensor<i1>, tensor<f32>
      stablehlo.return %35 : tensor<f32>
    }) : (tensor<2048x16xf32>, tensor<f32>) -> tensor<2048x16xf32>
    %36 = stablehlo.slice %23 [0:2048, 15:16] : (tensor<2048x16xf32>) -> tensor<2048x1xf32>
    %37 = stablehlo.reshape %36 : (tensor<2048x1xf32>) -> tensor<2048xf32>
    %38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %39 = stablehlo.pad %37, %38, low = [1], high = [-1], interior = [0] : (tensor<2048xf32>, tensor<f32>) -> tensor<2048xf32>
    %40 = stablehlo.reshape %39 : (tensor<2048xf32>) -> tensor<128x16xf32>
    %41 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = "stablehlo.reduce_window"(%40, %41) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%43: tensor<f32>, %44: tensor<f32>):
      %45 = stablehlo.maximum %43, %44 : tensor<f32>
      %46 = stablehlo.subtract %43, %44 : tensor<f32>
      %47 = stablehlo.compare NE, %46, %46, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %48 = stablehlo.add %43, %44 : tensor<f32>
      %49 = stablehlo.abs %46 : tensor<f32>
      %50 = stablehlo.negate %49 : tensor<f32>
      %51 = stablehlo.exponential %50 : tensor<f32>
      %52 = stablehlo.log_plus_one %51 : tensor<f32>
      %53 = stablehlo.add %45, %52 : tensor<f32>
      %54 = stablehlo.select %47, %48, %53 : tensor<i1>, tensor<f32>
      stablehlo.return %54 : tensor<f32>
    }) : (tensor<128x16xf32>, tensor<f32>) -> tensor<128x16xf32>
    %55 = stablehlo.slice %42 [0:128, 15:16] : (tensor<128x16xf32>) -> tensor<128x1xf32>
    %56 = stablehlo.reshape %55 : (tensor<128x1xf32>) -> tensor<128xf32>
    %57 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %58 = stablehlo.pad %56, %57, low = [1], high = [-1], interior = [0] : (tensor<128xf32>, tensor<f32>) -> tensor<128xf32>
    %59 = stablehlo.reshape %58 : (tensor<128xf32>) -> tensor<8x16xf32>
    %60 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %61 = "stablehlo.reduce_window"(%59, %60) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [15, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 16>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%62: tensor<f32>, %63: tensor<f32>):
      %64 = stablehlo.maximum %62, %63 : tensor<f32>
      %65 = stablehlo.subtract %62, %63 : tensor<f32>
      %66 = stablehlo.compare NE, %65, %65, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %67 = stablehlo.add %62, %63 : tensor<f32>
      %68 = stablehlo.abs %65 : tensor<f32>
      %69 = stablehlo.negate %68 : tensor<f32>
      %70 = stablehlo.exponential %69 : tensor<f32>
      %71 = stablehlo.log_plus_one %70 : tensor<f32>
      %72 = stablehlo.add %64, %71 : tensor<f32>
      %73 = stablehlo.select %66, %67, %72 : tensor<i1>, tensor<f32>
      stablehlo.return %73 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %74 = stablehlo.slice %61 [0:8, 15:16] : (tensor<8x16xf32>) -> tensor<8x1xf32>
    %75 = stablehlo.reshape %74 : (tensor<8x1xf32>) -> tensor<8xf32>
    %76 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %77 = stablehlo.pad %75, %76, low = [1], high = [-1], interior = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %78 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %79 = "stablehlo.reduce_window"(%77, %78) <{base_dilations = array<i64: 1>, padding = dense<[[7, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 8>, window_strides = array<i64: 1>}> ({
    ^bb0(%80: tensor<f32>, %81: tensor<f32>):
      %82 = stablehlo.maximum %80, %81 : tensor<f32>
      %83 = stablehlo.subtract %80, %81 : tensor<f32>
      %84 = stablehlo.compare NE, %83, %83, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %85 = stablehlo.add %80, %81 : tensor<f32>
      %86 = stablehlo.abs %83 : tensor<f32>
      %87 = stablehlo.negate %86 : tensor<f32>
      %88 = stablehlo.exponential %87 : tensor<f32>
      %89 = stablehlo.log_plus_one %88 : tensor<f32>
      %90 = stablehlo.add %82, %89 : tensor<f32>
      %91 = stablehlo.select %84, %85, %90 : tensor<i1>, tensor<f32>
      stablehlo.return %91 : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %92 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
    %93 = stablehlo.maximum %92, %61 : tensor<8x16xf32>
    %94 = stablehlo.subtract %92, %61 : tensor<8x16xf32>
    %95 = stablehlo.compare NE, %94, %94, FLOAT : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
    %96 = stablehlo.add %92, %61 : tensor<8x16xf32>
    %97 = stablehlo.abs %94 : tensor<8x16xf32>
    %98 = stablehlo.negate %97 : tensor<8x16xf32>
    %99 = stablehlo.exponential %98 : tensor<8x16xf32>
    %100 = stablehlo.log_plus_one %99 : tensor<8x16xf32>
    %101 = stablehlo.add %93, %100 : tensor<8x16xf32>
    %102 = stablehlo.select %95, %96, %101 : tensor<8x16xi1>, tensor<8x16xf32>
    %103 = stablehlo.reshape %102 : (tensor<8x16xf32>) -> tensor<128xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<128xf32>) -> tensor<128x16xf32>
    %105 = stablehlo.maximum %104, %42 : tensor<128x16xf32>
    %106 = stablehlo.subtract %104, %42 : tensor<128x16xf32>
    %107 = stablehlo.compare NE, %106, %106, FLOAT : (tensor<128x16xf32>, tensor<128x16xf32>) -> tensor<128x16xi1>
    %108 = stablehlo.add %104, %42 : tensor<128x16xf32>
    %109 = stablehlo.abs %106 : tensor<128x16xf32>
    %110 = stablehlo.negate %109 : tensor<128x16xf32>
    %111 = stablehlo.exponential %110 : tensor<128x16xf32>
    %112 = stablehlo.log_plus_one %111 : tensor<128x16xf32>
    %113 = stablehlo.add %105, %112 : tensor<128x16xf32>
    %114 = stablehlo.select %107, %108, %113 : tensor<128x16xi1>, tensor<128x16xf32>
    %115 = stablehlo.reshape %114 : (tensor<128x16xf32>) -> tensor<2048xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0] : (tensor<2048xf32>) -> tensor<2048x16xf32>
    %117 = stablehlo.maximum %116, %23 : tensor<2048x16xf32>
    %118 = stablehlo.subtract %116, %23 : tensor<2048x16xf32>
    %119 = stablehlo.compare NE, %118, %118, FLOAT : (tensor<2048x16xf32>, tensor<2048x16xf32>) -> tensor<2048x16xi1>
    %120 = stablehlo.add %116, %23 : tensor<2048x16xf32>
    %121 = stablehlo.abs %118 : tensor<2048x16xf32>
    %122 = stablehlo.negate %121 : tensor<2048x16xf32>
    %123 = stablehlo.exponential %122 : tensor<2048x16xf32>
    %124 = stablehlo.log_plus_one %123 : tensor<2048x16xf32>
    %125 = stablehlo.add %117, %124 : tensor<2048x16xf32>
    %126 = stablehlo.select %119, %120, %125 : tensor<2048x16xi1>, tensor<2048x16xf32>
    %127 = stablehlo.reshape %126 : (tensor<2048x16xf32>) -> tensor<32768xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0] : (tensor<32768xf32>) -> tensor<32768x16xf32>
    %129 = stablehlo.maximum %128, %4 : tensor<32768x16xf32>
    %130 = stablehlo.subtract %128, %4 : tensor<32768x16xf32>
    %131 = stablehlo.compare NE, %130, %130, FLOAT : (tensor<32768x16xf32>, tensor<32768x16xf32>) -> tensor<32768x16xi1>
    %132 = stablehlo.add %128, %4 : tensor<32768x16xf32>
    %133 = stablehlo.abs %130 : tensor<32768x16xf32>
    %134 = stablehlo.negate %133 : tensor<32768x16xf32>
    %135 = stablehlo.exponential %134 : tensor<32768x16xf32>
    %136 = stablehlo.log_plus_one %135 : tensor<32768x16xf32>
    %137 = stablehlo.add %129, %136 : tensor<32768x16xf32>
    %138 = stablehlo.select %131, %132, %137 : tensor<32768x16xi1>, tensor<32768x16xf32>
    %139 = stablehlo.reshape %138 : (tensor<32768x16xf32>) -> tensor<524288xf32>
    return %139 : tensor<524288xf32>
  }
}
