// Ops that coêute the same become one, and so do those that thenaqer e ual.
// run: cse
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %), %y :f64 t32>
}
