// DEFAULT is full precision; an algorithm may allow TF32.
// run: pipeline, plan
func.func @main(%a: tensor<40x50xf32>, %b: tensor<50x60xf32>) -> (tensor<40x60xf32>, tensor<40x60xf32>, tensor<40x60xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<40x50xf32>, tensor<50x60xf32>) -> tensor<40x60xf32>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<40x50xf32>, tensor<50x60xf32>) -> tensor<40x60xf32>
  %2 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<40x50xf32>, tensor<50x60xf32>) -> tensor<40x60xf32>
  return %0, %1, %2 : tensor<40x60xf32>, tensor<40x60xf32>, tensor<40x60xf32>
}
// expect
function main(tensor<40x50xf32>, tensor<50x60xf32>) -> (tensor<40x60xf32>, tensor<40x60xf32>, tensor<40x60xf32>) arena 0 {
  // stablehlo.dot_general (line 4)
  matmul f32 -> f32 b=1 m=40 n=60 k=50 lhs argument0[0:8000] strides [2000, 50, 1] rhs argument1[0:12000] strides [3000, 60, 1] -> result0[0:9600]
  // stablehlo.dot_general (line 5)
  matmul f32 -> f32 b=1 m=40 n=60 k=50 lhs argument0[0:8000] strides [2000, 50, 1] rhs argument1[0:12000] strides [3000, 60, 1] -> result1[0:9600] tf32
  // stablehlo.dot_general (line 6)
  matmul f32 -> f32 b=1 m=40 n=60 k=50 lhs argument0[0:8000] strides [2000, 50, 1] rhs argument1[0:12000] strides [3000, 60, 1] -> result2[0:9600]
}
constants 0 bytes
