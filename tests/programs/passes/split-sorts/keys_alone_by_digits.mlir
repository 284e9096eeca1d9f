// The order of the bits is that of the keys, which are read from them at the end.
// run: split-sorts
// target: cuda
func.func @main(%x: tensor<3000xi16>) -> tensor<3000xi16> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%1: tensor<i16>, %2: tensor<i16>):
    %3 = stablehlo.compare GT, %1, %2 : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<3000xi16>) -> tensor<3000xi16>
  return %0 : tensor<3000xi16>
}
// expect
module {
  func.func public @main(%0: tensor<3000xi16>) -> tensor<3000xi16> {
    %1 = stablehlo.reshape %0 : (tensor<3000xi16>) -> tensor<1x3000xi16>
    %2 = stablehlo.bitcast_convert %1 : (tensor<1x3000xi16>) -> tensor<1x3000xui16>
    %3 = stablehlo.constant dense<32768> : tensor<1x3000xui16>
    %4 = stablehlo.xor %2, %3 : tensor<1x3000xui16>
    %5 = stablehlo.not %4 : tensor<1x3000xui16>
    %6:2 = "acceld.digit_sort"(%5) <{tile = 4096 : i64}> : (tensor<1x3000xui16>) -> (tensor<1x3000xui16>, tensor<1x256x2xui32>)
    %7:2 = "acceld.digit_sort"(%6#0) <{tile = 4096 : i64}> : (tensor<1x3000xui16>) -> (tensor<1x3000xui16>, tensor<1x256x2xui32>)
    %8 = stablehlo.not %7#0 : tensor<1x3000xui16>
    %9 = stablehlo.constant dense<32768> : tensor<1x3000xui16>
    %10 = stablehlo.xor %8, %9 : tensor<1x3000xui16>
    %11 = stablehlo.bitcast_convert %10 : (tensor<1x3000xui16>) -> tensor<1x3000xi16>
    %12 = stablehlo.reshape %11 : (tensor<1x3000xi16>) -> tensor<3000xi16>
    return %12 : tensor<3000xi16>
  }
}
