// What JAX calls by LAPACK's and by cuSOLVER's name is the same routine.
// run: plan
func.func @main(%a: tensor<4x3xf32>, %h: tensor<2x3x3xcomplex<f64>>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<2x3xf64>) {
  %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) {mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  %1:2 = stablehlo.custom_call @cusolver_geqrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  %2:3 = stablehlo.custom_call @lapack_zheevd_ffi(%h) {mhlo.backend_config = {mode = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2xi32>)
  return %0#0, %0#1, %1#0, %1#1, %2#1 : tensor<4x3xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<2x3xf64>
}
// expect
function main(tensor<4x3xf32>, tensor<2x3x3xcomplex<f64>>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<2x3xf64>) arena 384 {
  // stablehlo.custom_call (line 4)
  routine qr(tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) from (argument0[0:48]) to (result0[0:48], result1[0:12])
  // stablehlo.custom_call (line 5)
  routine qr(tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) from (argument0[0:48]) to (result2[0:48], result3[0:12])
  // stablehlo.custom_call (line 6)
  routine hermitian_eigen lower=1 vectors=0(tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2xi32>) from (argument1[0:288]) to (arena0[0:288], result4[0:48], arena0[320:328])
}
result4 may be argument0
constants 0 bytes
