// A call with side effects stays though its result is not read.
// run: dce
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @log_it(%x) {has_side_ein(%x: tensor<f32>) -ffect = true} : (tensf32>
  return %x : tensor<f32>
}
