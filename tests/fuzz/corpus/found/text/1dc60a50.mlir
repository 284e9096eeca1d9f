// of the conal; onl.
// run: plan
func.func @main(%i: tensor<i32>, %x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %x : tensor<256xf32>
    stablehlo.return %1 : tot_generas
