module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg3: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg4: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg5: tensor<4x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg6: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg7: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg8: tensor<8x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>}, %arg9: tensor<8x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<16xf32> {jax.result_info = "result[1]['norm1']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16xf32> {jax.result_info = "result[1]['norm2']", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<16x32xf32> {jax.result_info = "result[1]['w1']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<32x16xf32> {jax.result_info = "result[1]['w2']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, tensor<16x4x4xf32> {jax.result_info = "result[1]['wk']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<4x4x16xf32> {jax.result_info = "result[1]['wo']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<16x4x4xf32> {jax.result_info = "result[1]['wq']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<16x4x4xf32> {jax.result_info = "result[1]['wv']", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %0 = stablehlo.multiply %arg8, %arg8 : tensor<8x4x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<8x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8x4x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<8x4x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<8x4x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x16xf32>
    %9 = stablehlo.multiply %arg8, %8 : tensor<8x4x16xf32>
    %10 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x4x16xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<8x4x16xf32>
    %13 = stablehlo.dot_general %12, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<16x4x4xf32>) -> tensor<8x4x4x4xf32>
    %14 = stablehlo.dot_general %12, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<16x4x4xf32>) -> tensor<8x4x4x4xf32>
    %15 = stablehlo.dot_general %12, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<16x4x4xf32>) -> tensor<8x4x4x4xf32>
    %16 = stablehlo.dot_general %13, %14, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.reduce(%16 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x4xf32>
    %19 = stablehlo.maximum %18, %17 : tensor<8x4x4xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %22 = stablehlo.subtract %16, %21 : tensor<8x4x4x4xf32>
    %23 = stablehlo.exponential %22 : tensor<8x4x4x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %27 = stablehlo.divide %23, %26 : tensor<8x4x4x4xf32>
    %28 = stablehlo.multiply %25, %25 : tensor<8x4x4x1xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x4x4x1xf32>
    %30 = stablehlo.divide %29, %28 : tensor<8x4x4x1xf32>
    %31 = stablehlo.dot_general %15, %27, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %32 = stablehlo.transpose %31, dims = [0, 3, 1, 2] : (tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %33 = stablehlo.dot_general %32, %arg5, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<4x4x16xf32>) -> tensor<8x4x16xf32>
    %34 = stablehlo.add %arg8, %33 : tensor<8x4x16xf32>
    %35 = stablehlo.multiply %34, %34 : tensor<8x4x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<8x4xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %cst_7 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %39 = stablehlo.divide %37, %38 : tensor<8x4x1xf32>
    %cst_8 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %41 = stablehlo.add %39, %40 : tensor<8x4x1xf32>
    %42 = stablehlo.rsqrt %41 : tensor<8x4x1xf32>
    %43 = stablehlo.divide %42, %41 : tensor<8x4x1xf32>
    %cst_9 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %45 = stablehlo.multiply %44, %43 : tensor<8x4x1xf32>
    %46 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x16xf32>
    %47 = stablehlo.multiply %34, %46 : tensor<8x4x16xf32>
    %48 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x4x16xf32>
    %50 = stablehlo.multiply %47, %49 : tensor<8x4x16xf32>
    %51 = stablehlo.dot_general %50, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<16x32xf32>) -> tensor<8x4x32xf32>
    %52:3 = call @silu(%51) : (tensor<8x4x32xf32>) -> (tensor<8x4x32xf32>, tensor<8x4x32xf32>, tensor<8x4x32xf32>)
    %53 = stablehlo.dot_general %52#0, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32xf32>, tensor<32x16xf32>) -> tensor<8x4x16xf32>
    %54 = stablehlo.add %34, %53 : tensor<8x4x16xf32>
    %55 = stablehlo.subtract %54, %arg9 : tensor<8x4x16xf32>
    %56 = stablehlo.multiply %55, %55 : tensor<8x4x16xf32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %58 = stablehlo.multiply %57, %55 : tensor<8x4x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%56 init: %cst_11) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %60 = stablehlo.divide %59, %cst_12 : tensor<f32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_14 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %61 = stablehlo.divide %cst_13, %cst_14 : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<f32>) -> tensor<8x4x16xf32>
    %63 = stablehlo.multiply %62, %58 : tensor<8x4x16xf32>
    %64 = stablehlo.dot_general %63, %52#0, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x32xf32>) -> tensor<16x32xf32>
    %65 = stablehlo.transpose %64, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %66 = stablehlo.dot_general %63, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<32x16xf32>) -> tensor<8x4x32xf32>
    %67 = call @silu_0(%52#1, %52#2, %51, %66) : (tensor<8x4x32xf32>, tensor<8x4x32xf32>, tensor<8x4x32xf32>, tensor<8x4x32xf32>) -> tensor<8x4x32xf32>
    %68 = stablehlo.dot_general %67, %50, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32xf32>, tensor<8x4x16xf32>) -> tensor<32x16xf32>
    %69 = stablehlo.transpose %68, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %70 = stablehlo.dot_general %67, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x32xf32>, tensor<16x32xf32>) -> tensor<8x4x16xf32>
    %71 = stablehlo.multiply %47, %70 : tensor<8x4x16xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_15) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %73 = stablehlo.reshape %72 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %74 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x4x16xf32>
    %75 = stablehlo.multiply %70, %74 : tensor<8x4x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%73 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %77 = stablehlo.multiply %34, %75 : tensor<8x4x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<8x4xf32>
    %79 = stablehlo.reshape %78 : (tensor<8x4xf32>) -> tensor<8x4x1xf32>
    %80 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<8x4x1xf32>) -> tensor<8x4x16xf32>
    %81 = stablehlo.multiply %75, %80 : tensor<8x4x16xf32>
    %82 = stablehlo.add %63, %81 : tensor<8x4x16xf32>
    %83 = stablehlo.multiply %79, %45 : tensor<8x4x1xf32>
    %cst_18 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x4x1xf32>
    %85 = stablehlo.divide %83, %84 : tensor<8x4x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%85 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<8x4x1xf32>, tensor<f32>) -> tensor<8x4xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1] : (tensor<8x4xf32>) -> tensor<8x4x16xf32>
    %88 = stablehlo.multiply %34, %87 : tensor<8x4x16xf32>
    %89 = stablehlo.add %82, %88 : tensor<8x4x16xf32>
    %90 = stablehlo.multiply %87, %34 : tensor<8x4x16xf32>
    %91 = stablehlo.add %89, %90 : tensor<8x4x16xf32>
    %92 = stablehlo.dot_general %91, %32, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<8x4x4x4xf32>) -> tensor<16x4x4xf32>
    %93 = stablehlo.transpose %92, dims = [1, 2, 0] : (tensor<16x4x4xf32>) -> tensor<4x4x16xf32>
    %94 = stablehlo.dot_general %91, %arg5, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x16xf32>, tensor<4x4x16xf32>) -> tensor<8x4x4x4xf32>
    %95 = stablehlo.transpose %94, dims = [0, 2, 3, 1] : (tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %96 = stablehlo.dot_general %95, %15, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %97 = stablehlo.dot_general %95, %27, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %98 = stablehlo.transpose %97, dims = [0, 3, 1, 2] : (tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %99 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %100 = stablehlo.multiply %96, %99 : tensor<8x4x4x4xf32>
    %101 = stablehlo.multiply %100, %23 : tensor<8x4x4x4xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_20) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %103 = stablehlo.reshape %102 : (tensor<8x4x4xf32>) -> tensor<8x4x4x1xf32>
    %104 = stablehlo.negate %103 : tensor<8x4x4x1xf32>
    %105 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3] : (tensor<8x4x4x1xf32>) -> tensor<8x4x4x4xf32>
    %106 = stablehlo.divide %96, %105 : tensor<8x4x4x4xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.reduce(%104 init: %cst_21) applies stablehlo.add across dimensions = [3] : (tensor<8x4x4x1xf32>, tensor<f32>) -> tensor<8x4x4xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<8x4x4xf32>) -> tensor<8x4x4x4xf32>
    %109 = stablehlo.add %106, %108 : tensor<8x4x4x4xf32>
    %110 = stablehlo.multiply %109, %23 : tensor<8x4x4x4xf32>
    %111 = stablehlo.dot_general %110, %13, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %112 = stablehlo.transpose %111, dims = [0, 2, 1, 3] : (tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %113 = stablehlo.dot_general %110, %14, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %114 = stablehlo.transpose %113, dims = [0, 2, 1, 3] : (tensor<8x4x4x4xf32>) -> tensor<8x4x4x4xf32>
    %115 = stablehlo.dot_general %98, %12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x16xf32>) -> tensor<4x4x16xf32>
    %116 = stablehlo.transpose %115, dims = [2, 0, 1] : (tensor<4x4x16xf32>) -> tensor<16x4x4xf32>
    %117 = stablehlo.dot_general %98, %arg7, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<16x4x4xf32>) -> tensor<8x4x16xf32>
    %118 = stablehlo.dot_general %112, %12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x16xf32>) -> tensor<4x4x16xf32>
    %119 = stablehlo.transpose %118, dims = [2, 0, 1] : (tensor<4x4x16xf32>) -> tensor<16x4x4xf32>
    %120 = stablehlo.dot_general %112, %arg4, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<16x4x4xf32>) -> tensor<8x4x16xf32>
    %121 = stablehlo.add %117, %120 : tensor<8x4x16xf32>
    %122 = stablehlo.dot_general %114, %12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<8x4x16xf32>) -> tensor<4x4x16xf32>
    %123 = stablehlo.transpose %122, dims = [2, 0, 1] : (tensor<4x4x16xf32>) -> tensor<16x4x4xf32>
    %124 = stablehlo.dot_general %114, %arg6, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x4x4x4xf32>, tensor<16x4x4xf32>) -> tensor<8x4x16xf32>
    %125 = stablehlo.add %121, %124 : tensor<8x4x16xf32>
    %126 = stablehlo.multiply %9, %125 : tensor<8x4x16xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4x16xf32>, tensor<f32>) -> tensor<16xf32>
    %128 = stablehlo.reshape %127 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.reduce(%128 init: %cst_23) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_24 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %131 = stablehlo.multiply %130, %129 : tensor<16xf32>
    %132 = stablehlo.subtract %arg0, %131 : tensor<16xf32>
    %cst_25 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %134 = stablehlo.multiply %133, %76 : tensor<16xf32>
    %135 = stablehlo.subtract %arg1, %134 : tensor<16xf32>
    %cst_26 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %137 = stablehlo.multiply %136, %69 : tensor<16x32xf32>
    %138 = stablehlo.subtract %arg2, %137 : tensor<16x32xf32>
    %cst_27 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %140 = stablehlo.multiply %139, %65 : tensor<32x16xf32>
    %141 = stablehlo.subtract %arg3, %140 : tensor<32x16xf32>
    %cst_28 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<16x4x4xf32>
    %143 = stablehlo.multiply %142, %119 : tensor<16x4x4xf32>
    %144 = stablehlo.subtract %arg4, %143 : tensor<16x4x4xf32>
    %cst_29 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4x4x16xf32>
    %146 = stablehlo.multiply %145, %93 : tensor<4x4x16xf32>
    %147 = stablehlo.subtract %arg5, %146 : tensor<4x4x16xf32>
    %cst_30 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16x4x4xf32>
    %149 = stablehlo.multiply %148, %123 : tensor<16x4x4xf32>
    %150 = stablehlo.subtract %arg6, %149 : tensor<16x4x4xf32>
    %cst_31 = stablehlo.constant dense<1.250000e-01> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<16x4x4xf32>
    %152 = stablehlo.multiply %151, %116 : tensor<16x4x4xf32>
    %153 = stablehlo.subtract %arg7, %152 : tensor<16x4x4xf32>
    return %60, %132, %135, %138, %141, %144, %147, %150, %153 : tensor<f32>, tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16x4x4xf32>, tensor<4x4x16xf32>, tensor<16x4x4xf32>, tensor<16x4x4xf32>
  }
  func.func private @silu(%arg0: tensor<8x4x32xf32>) -> (tensor<8x4x32xf32>, tensor<8x4x32xf32>, tensor<8x4x32xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<8x4x32xf32>
    %1 = stablehlo.exponential %0 : tensor<8x4x32xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %3 = stablehlo.add %2, %1 : tensor<8x4x32xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %5 = stablehlo.divide %4, %3 : tensor<8x4x32xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4x32xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<8x4x32xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<8x4x32xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<8x4x32xf32>
    return %9, %8, %5 : tensor<8x4x32xf32>, tensor<8x4x32xf32>, tensor<8x4x32xf32>
  }
  func.func private @silu_0(%arg0: tensor<8x4x32xf32>, %arg1: tensor<8x4x32xf32>, %arg2: tensor<8x4x32xf32>, %arg3: tensor<8x4x32xf32>) -> tensor<8x4x32xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<8x4x32xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<8x4x32xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<8x4x32xf32>
    %3 = stablehlo.add %1, %2 : tensor<8x4x32xf32>
    return %3 : tensor<8x4x32xf32>
  }
}
