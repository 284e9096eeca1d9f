// Sizes that run: plan
func.func @main(%a: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<i32>)
  return %0#0 : tensor<3x2xf32>
}
