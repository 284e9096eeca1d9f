module @jit_adam attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<96x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<64xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<64x64xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<64xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<64x16xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<16xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<96x64xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<64xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<64x64xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<64xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<64x16xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<16xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<96x64xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<64xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<64x64xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<64xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<64x16xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<16xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<f32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<32x96xf32>, %arg20: tensor<32x16xf32>) -> (tensor<96x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x16xf32>, tensor<16xf32>, tensor<96x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x16xf32>, tensor<16xf32>, tensor<96x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x16xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg19, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x96xf32>, tensor<96x64xf32>) -> tensor<32x64xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<64xf32>) -> tensor<1x64xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x64xf32>) -> tensor<32x64xf32>
    %3 = stablehlo.add %0, %2 : tensor<32x64xf32>
    %4 = call @relu(%3) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xi1>
    %7 = stablehlo.dot_general %4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<64xf32>) -> tensor<1x64xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x64xf32>) -> tensor<32x64xf32>
    %10 = stablehlo.add %7, %9 : tensor<32x64xf32>
    %11 = call @relu(%10) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %13 = stablehlo.compare GT, %10, %12, FLOAT : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xi1>
    %14 = stablehlo.dot_general %11, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<32x16xf32>
    %17 = stablehlo.add %14, %16 : tensor<32x16xf32>
    %18:3 = call @log_softmax(%17) : (tensor<32x16xf32>) -> (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x1xf32>)
    %19 = stablehlo.multiply %18#0, %arg20 : tensor<32x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<32xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %22 = stablehlo.divide %21, %cst_3 : tensor<f32>
    %23 = stablehlo.negate %22 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.negate %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %25 = stablehlo.divide %24, %cst_5 : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<32xf32>) -> tensor<32x16xf32>
    %28 = stablehlo.multiply %27, %arg20 : tensor<32x16xf32>
    %29 = call @log_softmax_0(%18#1, %18#2, %28) : (tensor<32x16xf32>, tensor<32x1xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<32x16xf32>, tensor<f32>) -> tensor<16xf32>
    %31 = stablehlo.reshape %30 : (tensor<16xf32>) -> tensor<1x16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %33 = stablehlo.dot_general %29, %11, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
    %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
    %35 = stablehlo.dot_general %29, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x16xf32>, tensor<64x16xf32>) -> tensor<32x64xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %37 = stablehlo.select %13, %35, %36 : tensor<32x64xi1>, tensor<32x64xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %39 = stablehlo.reshape %38 : (tensor<64xf32>) -> tensor<1x64xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %41 = stablehlo.dot_general %37, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
    %42 = stablehlo.transpose %41, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %43 = stablehlo.dot_general %37, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %45 = stablehlo.select %6, %43, %44 : tensor<32x64xi1>, tensor<32x64xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<32x64xf32>, tensor<f32>) -> tensor<64xf32>
    %47 = stablehlo.reshape %46 : (tensor<64xf32>) -> tensor<1x64xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<1x64xf32>, tensor<f32>) -> tensor<64xf32>
    %49 = stablehlo.dot_general %45, %arg19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<32x64xf32>, tensor<32x96xf32>) -> tensor<64x96xf32>
    %50 = stablehlo.transpose %49, dims = [1, 0] : (tensor<64x96xf32>) -> tensor<96x64xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.add %arg18, %cst_14 : tensor<f32>
    %cst_15 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %53 = stablehlo.multiply %52, %arg6 : tensor<96x64xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %55 = stablehlo.multiply %54, %50 : tensor<96x64xf32>
    %56 = stablehlo.add %53, %55 : tensor<96x64xf32>
    %cst_17 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %58 = stablehlo.multiply %57, %arg7 : tensor<64xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %60 = stablehlo.multiply %59, %48 : tensor<64xf32>
    %61 = stablehlo.add %58, %60 : tensor<64xf32>
    %cst_19 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %63 = stablehlo.multiply %62, %arg8 : tensor<64x64xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %65 = stablehlo.multiply %64, %42 : tensor<64x64xf32>
    %66 = stablehlo.add %63, %65 : tensor<64x64xf32>
    %cst_21 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %68 = stablehlo.multiply %67, %arg9 : tensor<64xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %70 = stablehlo.multiply %69, %40 : tensor<64xf32>
    %71 = stablehlo.add %68, %70 : tensor<64xf32>
    %cst_23 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %73 = stablehlo.multiply %72, %arg10 : tensor<64x16xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %75 = stablehlo.multiply %74, %34 : tensor<64x16xf32>
    %76 = stablehlo.add %73, %75 : tensor<64x16xf32>
    %cst_25 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %78 = stablehlo.multiply %77, %arg11 : tensor<16xf32>
    %cst_26 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %80 = stablehlo.multiply %79, %32 : tensor<16xf32>
    %81 = stablehlo.add %78, %80 : tensor<16xf32>
    %cst_27 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %83 = stablehlo.multiply %82, %arg12 : tensor<96x64xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %85 = stablehlo.multiply %84, %50 : tensor<96x64xf32>
    %86 = stablehlo.multiply %85, %50 : tensor<96x64xf32>
    %87 = stablehlo.add %83, %86 : tensor<96x64xf32>
    %cst_29 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %89 = stablehlo.multiply %88, %arg13 : tensor<64xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %91 = stablehlo.multiply %90, %48 : tensor<64xf32>
    %92 = stablehlo.multiply %91, %48 : tensor<64xf32>
    %93 = stablehlo.add %89, %92 : tensor<64xf32>
    %cst_31 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %95 = stablehlo.multiply %94, %arg14 : tensor<64x64xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %97 = stablehlo.multiply %96, %42 : tensor<64x64xf32>
    %98 = stablehlo.multiply %97, %42 : tensor<64x64xf32>
    %99 = stablehlo.add %95, %98 : tensor<64x64xf32>
    %cst_33 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %101 = stablehlo.multiply %100, %arg15 : tensor<64xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %103 = stablehlo.multiply %102, %40 : tensor<64xf32>
    %104 = stablehlo.multiply %103, %40 : tensor<64xf32>
    %105 = stablehlo.add %101, %104 : tensor<64xf32>
    %cst_35 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %107 = stablehlo.multiply %106, %arg16 : tensor<64x16xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %109 = stablehlo.multiply %108, %34 : tensor<64x16xf32>
    %110 = stablehlo.multiply %109, %34 : tensor<64x16xf32>
    %111 = stablehlo.add %107, %110 : tensor<64x16xf32>
    %cst_37 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %113 = stablehlo.multiply %112, %arg17 : tensor<16xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %115 = stablehlo.multiply %114, %32 : tensor<16xf32>
    %116 = stablehlo.multiply %115, %32 : tensor<16xf32>
    %117 = stablehlo.add %113, %116 : tensor<16xf32>
    %cst_39 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %118 = stablehlo.power %cst_39, %51 : tensor<f32>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %119 = stablehlo.subtract %cst_40, %118 : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %121 = stablehlo.divide %56, %120 : tensor<96x64xf32>
    %cst_41 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %123 = stablehlo.multiply %122, %121 : tensor<96x64xf32>
    %cst_42 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %124 = stablehlo.power %cst_42, %51 : tensor<f32>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %125 = stablehlo.subtract %cst_43, %124 : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %127 = stablehlo.divide %87, %126 : tensor<96x64xf32>
    %128 = stablehlo.sqrt %127 : tensor<96x64xf32>
    %cst_44 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<96x64xf32>
    %130 = stablehlo.add %128, %129 : tensor<96x64xf32>
    %131 = stablehlo.divide %123, %130 : tensor<96x64xf32>
    %132 = stablehlo.subtract %arg0, %131 : tensor<96x64xf32>
    %cst_45 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %133 = stablehlo.power %cst_45, %51 : tensor<f32>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %134 = stablehlo.subtract %cst_46, %133 : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %136 = stablehlo.divide %61, %135 : tensor<64xf32>
    %cst_47 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %138 = stablehlo.multiply %137, %136 : tensor<64xf32>
    %cst_48 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %139 = stablehlo.power %cst_48, %51 : tensor<f32>
    %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %140 = stablehlo.subtract %cst_49, %139 : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %142 = stablehlo.divide %93, %141 : tensor<64xf32>
    %143 = stablehlo.sqrt %142 : tensor<64xf32>
    %cst_50 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %145 = stablehlo.add %143, %144 : tensor<64xf32>
    %146 = stablehlo.divide %138, %145 : tensor<64xf32>
    %147 = stablehlo.subtract %arg1, %146 : tensor<64xf32>
    %cst_51 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %148 = stablehlo.power %cst_51, %51 : tensor<f32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %149 = stablehlo.subtract %cst_52, %148 : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %151 = stablehlo.divide %66, %150 : tensor<64x64xf32>
    %cst_53 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %153 = stablehlo.multiply %152, %151 : tensor<64x64xf32>
    %cst_54 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %154 = stablehlo.power %cst_54, %51 : tensor<f32>
    %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %155 = stablehlo.subtract %cst_55, %154 : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %155, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %157 = stablehlo.divide %99, %156 : tensor<64x64xf32>
    %158 = stablehlo.sqrt %157 : tensor<64x64xf32>
    %cst_56 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
    %160 = stablehlo.add %158, %159 : tensor<64x64xf32>
    %161 = stablehlo.divide %153, %160 : tensor<64x64xf32>
    %162 = stablehlo.subtract %arg2, %161 : tensor<64x64xf32>
    %cst_57 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %163 = stablehlo.power %cst_57, %51 : tensor<f32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %164 = stablehlo.subtract %cst_58, %163 : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %166 = stablehlo.divide %71, %165 : tensor<64xf32>
    %cst_59 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %168 = stablehlo.multiply %167, %166 : tensor<64xf32>
    %cst_60 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %169 = stablehlo.power %cst_60, %51 : tensor<f32>
    %cst_61 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %170 = stablehlo.subtract %cst_61, %169 : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %172 = stablehlo.divide %105, %171 : tensor<64xf32>
    %173 = stablehlo.sqrt %172 : tensor<64xf32>
    %cst_62 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %175 = stablehlo.add %173, %174 : tensor<64xf32>
    %176 = stablehlo.divide %168, %175 : tensor<64xf32>
    %177 = stablehlo.subtract %arg3, %176 : tensor<64xf32>
    %cst_63 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %178 = stablehlo.power %cst_63, %51 : tensor<f32>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %179 = stablehlo.subtract %cst_64, %178 : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %179, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %181 = stablehlo.divide %76, %180 : tensor<64x16xf32>
    %cst_65 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %183 = stablehlo.multiply %182, %181 : tensor<64x16xf32>
    %cst_66 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %184 = stablehlo.power %cst_66, %51 : tensor<f32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %185 = stablehlo.subtract %cst_67, %184 : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %187 = stablehlo.divide %111, %186 : tensor<64x16xf32>
    %188 = stablehlo.sqrt %187 : tensor<64x16xf32>
    %cst_68 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<64x16xf32>
    %190 = stablehlo.add %188, %189 : tensor<64x16xf32>
    %191 = stablehlo.divide %183, %190 : tensor<64x16xf32>
    %192 = stablehlo.subtract %arg4, %191 : tensor<64x16xf32>
    %cst_69 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %193 = stablehlo.power %cst_69, %51 : tensor<f32>
    %cst_70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %194 = stablehlo.subtract %cst_70, %193 : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %196 = stablehlo.divide %81, %195 : tensor<16xf32>
    %cst_71 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %198 = stablehlo.multiply %197, %196 : tensor<16xf32>
    %cst_72 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %199 = stablehlo.power %cst_72, %51 : tensor<f32>
    %cst_73 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %200 = stablehlo.subtract %cst_73, %199 : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %200, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %202 = stablehlo.divide %117, %201 : tensor<16xf32>
    %203 = stablehlo.sqrt %202 : tensor<16xf32>
    %cst_74 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %205 = stablehlo.add %203, %204 : tensor<16xf32>
    %206 = stablehlo.divide %198, %205 : tensor<16xf32>
    %207 = stablehlo.subtract %arg5, %206 : tensor<16xf32>
    return %132, %147, %162, %177, %192, %207, %56, %61, %66, %71, %76, %81, %87, %93, %99, %105, %111, %117, %51, %23 : tensor<96x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x16xf32>, tensor<16xf32>, tensor<96x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x16xf32>, tensor<16xf32>, tensor<96x64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x16xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<32x64xf32>) -> tensor<32x64xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<32x64xf32>
    return %1 : tensor<32x64xf32>
  }
  func.func private @log_softmax(%arg0: tensor<32x16xf32>) -> (tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<32xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<32x16xf32>
    %6 = stablehlo.exponential %5 : tensor<32x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<32xf32>) -> tensor<32x1xf32>
    %9 = stablehlo.log %8 : tensor<32x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<32x1xf32>) -> tensor<32x16xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<32x16xf32>
    return %11, %6, %8 : tensor<32x16xf32>, tensor<32x16xf32>, tensor<32x1xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<32x16xf32>, %arg1: tensor<32x1xf32>, %arg2: tensor<32x16xf32>) -> tensor<32x16xf32> {
    %0 = stablehlo.negate %arg2 : tensor<32x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<32x16xf32>, tensor<f32>) -> tensor<32xf32>
    %2 = stablehlo.reshape %1 : (tensor<32xf32>) -> tensor<32x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<32x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<32x1xf32>, tensor<f32>) -> tensor<32xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<32xf32>) -> tensor<32x16xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<32x16xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<32x16xf32>
    return %7 : tensor<32x16xf32>
  }
}
