// Conditionals whose choice is known; an index out of range takes the last branch.
// run: canonicalize
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.if"(%true) ({
    %3 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  %1 = "stablehlo.case"(%seven) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %4 = stablehlo.abs %x : tensor<4xf32>
    stablehlo.return %4 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  %2 = stablehlo.while(%v = %x) : tensor<4xf32>
    cond {
      %false = stablehlo.constant dense<false> : tensor<i1>
      stablehlo.return %false : tensor<i1>
    } do {
      %5 = stablehlo.negate %v : tensor<4xf32>
      stablehlo.return %5 : tensor<4xf32>
    }
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %1 = stablehlo.constant dense<true> : tensor<i1>
    %2 = stablehlo.constant dense<7> : tensor<i32>
    %3 = stablehlo.negate %0 : tensor<4xf32>
    %4 = stablehlo.abs %0 : tensor<4xf32>
    return %3, %4, %0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
