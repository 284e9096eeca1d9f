// Integers wrap around as on the device, and division by zero has its value.
// run: fold-constants
func.func @main() -> (tensor<i8>, tensor<ui8>, tensor<i32>) {
  %a = stablehlo.constant dense<127> : tensor<i8>
  %b = stablehlo.constant dense<1> : tensor<i8>
  %0 = stablehlo.add %a, %b : tensor<i8>
  %c = stablehlo.constant dense<3> : tensor<ui8>
  %d = stablehlo.constant dense<5> : tensor<ui8>
  %1 = stablehlo.subtract %c, %d : tensor<ui8>
  %e = stablehlo.constant dense<9> : tensor<i32>
  %f = stablehlo.constant dense<0> : tensor<i32>
  %2 = stablehlo.divide %e, %f : tensor<i32>
  return %0, %1, %2 : tensor<i8>, tensor<ui8>, tensor<i32>
}
// expect
module {
  func.func public @main() -> (tensor<i8>, tensor<ui8>, tensor<i32>) {
    %0 = stablehlo.constant dense<127> : tensor<i8>
    %1 = stablehlo.constant dense<1> : tensor<i8>
    %2 = stablehlo.constant dense<-128> : tensor<i8>
    %3 = stablehlo.constant dense<3> : tensor<ui8>
    %4 = stablehlo.constant dense<5> : tensor<ui8>
    %5 = stablehlo.constant dense<254> : tensor<ui8>
    %6 = stablehlo.constant dense<9> : tensor<i32>
    %7 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.constant dense<-1> : tensor<i32>
    return %2, %5, %8 : tensor<i8>, tensor<ui8>, tensor<i32>
  }
}
