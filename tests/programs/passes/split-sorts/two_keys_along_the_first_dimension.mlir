// Both keys stand in one integer; what moves with them is a number, by which the rest is gathered.
// run: split-sorts
// target: cuda
func.func @main(%x: tensor<2500x2xi8>, %y: tensor<2500x2xf16>, %z: tensor<2500x2xf64>) -> tensor<2500x2xf64> {
  %0:3 = "stablehlo.sort"(%x, %y, %z) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>, %c: tensor<f16>, %d: tensor<f16>, %e: tensor<f64>, %f: tensor<f64>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %2 = stablehlo.compare EQ, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %3 = stablehlo.compare LT, %c, %d, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
    %4 = stablehlo.and %2, %3 : tensor<i1>
    %5 = stablehlo.or %1, %4 : tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<2500x2xi8>, tensor<2500x2xf16>, tensor<2500x2xf64>) -> (tensor<2500x2xi8>, tensor<2500x2xf16>, tensor<2500x2xf64>)
  return %0#2 : tensor<2500x2xf64>
}
// expect
module {
  func.func public @main(%0: tensor<2500x2xi8>, %1: tensor<2500x2xf16>, %2: tensor<2500x2xf64>) -> tensor<2500x2xf64> {
    %3 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2500x2xi8>) -> tensor<2x2500xi8>
    %4 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2500x2xf16>) -> tensor<2x2500xf16>
    %5 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2500x2xf64>) -> tensor<2x2500xf64>
    %6 = stablehlo.bitcast_convert %3 : (tensor<2x2500xi8>) -> tensor<2x2500xui8>
    %7 = stablehlo.constant dense<128> : tensor<2x2500xui8>
    %8 = stablehlo.xor %6, %7 : tensor<2x2500xui8>
    %9 = stablehlo.convert %8 : (tensor<2x2500xui8>) -> tensor<2x2500xui32>
    %10 = stablehlo.constant dense<16> : tensor<2x2500xui32>
    %11 = stablehlo.shift_left %9, %10 : tensor<2x2500xui32>
    %12 = stablehlo.bitcast_convert %4 : (tensor<2x2500xf16>) -> tensor<2x2500xui16>
    %13 = stablehlo.constant dense<32768> : tensor<2x2500xui16>
    %14 = stablehlo.compare GE, %12, %13, UNSIGNED : (tensor<2x2500xui16>, tensor<2x2500xui16>) -> tensor<2x2500xi1>
    %15 = stablehlo.not %12 : tensor<2x2500xui16>
    %16 = stablehlo.or %12, %13 : tensor<2x2500xui16>
    %17 = stablehlo.select %14, %15, %16 : tensor<2x2500xi1>, tensor<2x2500xui16>
    %18 = stablehlo.convert %17 : (tensor<2x2500xui16>) -> tensor<2x2500xui32>
    %19 = stablehlo.or %11, %18 : tensor<2x2500xui32>
    %20 = stablehlo.iota dim = 1 : tensor<2x2500xui32>
    %21:3 = "acceld.digit_sort"(%19, %20) <{tile = 4096 : i64}> : (tensor<2x2500xui32>, tensor<2x2500xui32>) -> (tensor<2x2500xui32>, tensor<2x2500xui32>, tensor<2x256x2xui32>)
    %22:3 = "acceld.digit_sort"(%21#0, %21#1) <{tile = 4096 : i64}> : (tensor<2x2500xui32>, tensor<2x2500xui32>) -> (tensor<2x2500xui32>, tensor<2x2500xui32>, tensor<2x256x2xui32>)
    %23:3 = "acceld.digit_sort"(%22#0, %22#1) <{tile = 4096 : i64}> : (tensor<2x2500xui32>, tensor<2x2500xui32>) -> (tensor<2x2500xui32>, tensor<2x2500xui32>, tensor<2x256x2xui32>)
    %24 = "stablehlo.gather"(%3, %23#1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], index_vector_dim = 2, operand_batching_dims = [0], start_index_map = [1], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x2500xi8>, tensor<2x2500xui32>) -> tensor<2x2500xi8>
    %25 = "stablehlo.gather"(%4, %23#1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], index_vector_dim = 2, operand_batching_dims = [0], start_index_map = [1], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x2500xf16>, tensor<2x2500xui32>) -> tensor<2x2500xf16>
    %26 = "stablehlo.gather"(%5, %23#1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], index_vector_dim = 2, operand_batching_dims = [0], start_index_map = [1], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x2500xf64>, tensor<2x2500xui32>) -> tensor<2x2500xf64>
    %27 = stablehlo.transpose %24, dims = [1, 0] : (tensor<2x2500xi8>) -> tensor<2500x2xi8>
    %28 = stablehlo.transpose %25, dims = [1, 0] : (tensor<2x2500xf16>) -> tensor<2500x2xf16>
    %29 = stablehlo.transpose %26, dims = [1, 0] : (tensor<2x2500xf64>) -> tensor<2500x2xf64>
    return %29 : tensor<2500x2xf64>
  }
}
