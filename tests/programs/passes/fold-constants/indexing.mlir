// Slices, pads, gathers and iotas of constants; an iota alone stays, it is made in the loop.
// run: fold-constants
func.func @main() -> (tensor<2xi32>, tensor<5xi32>, tensor<3xi32>) {
  %a = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.slice %a [1:3] : (tensor<3xi32>) -> tensor<2xi32>
  %1 = stablehlo.pad %a, %z, low = [1], high = [1], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  %2 = stablehlo.iota dim = 0 : tensor<3xi32>
  return %0, %1, %2 : tensor<2xi32>, tensor<5xi32>, tensor<3xi32>
}
// expect
module {
  func.func public @main() -> (tensor<2xi32>, tensor<5xi32>, tensor<3xi32>) {
    %0 = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
    %1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.constant dense<[20, 30]> : tensor<2xi32>
    %3 = stablehlo.constant dense<[0, 10, 20, 30, 0]> : tensor<5xi32>
    %4 = stablehlo.iota dim = 0 : tensor<3xi32>
    return %2, %3, %4 : tensor<2xi32>, tensor<5xi32>, tensor<3xi32>
  }
}
