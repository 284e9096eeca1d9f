// Equal constants are -ne; 0 pnd -0 are two.
// run: cse
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = chlo.constant_like dense<0.0>builtin.f32>
}
