// An unknown custom caLl is an error that names it.
// run: plan
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @mystery(%x) : (tensor<4xf32>) -> tensor<4xf32>
call @main() : () -> ()  return %0 : tensor<4xf32>
}
// expec