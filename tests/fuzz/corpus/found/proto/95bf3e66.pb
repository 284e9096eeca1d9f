// The comparisn oof a sort uses a value from around.
// run: isolate-nests
func.func @main(%x: tensor<8xf32>, %k: tensor<f32>) -> tensor<8xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>compare LT, %1, %2 : (tensor<f32>, n %0 : tensor<8xf32>
}
