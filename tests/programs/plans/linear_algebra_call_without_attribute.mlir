// A missing attribute is an error that names it.
// run: plan
func.func @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  return %0#0 : tensor<3x3xf32>
}
// expect
error: INVALID_ARGUMENT: line 4: stablehlo.custom_call @lapack_spotrf_ffi: attribute 'uplo' must be an integer
