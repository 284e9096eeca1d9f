// A constant too large for a kernel's code becomes an operand.
// run: isolate-nests
func.func @main(%x: tensor<4x6xi32>, %z: tensor<i32>) -> tensor<4xi32> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %table = stablehlo.constant dense<[3, 1, 4, 1, 5, 9, 2, 6, 5, 3]> : tensor<10xi32>
    %1  : tensor<4xi32>
}
