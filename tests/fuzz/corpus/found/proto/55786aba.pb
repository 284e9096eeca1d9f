// A constant too large for a kernel's code becomes an operand.
// run: isolate-nests
func.func @main(%x: tensor<4x6xi32>, %z: tensor<i32>) -> tensor<4xi32> {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1stablehlo.concatenate>}> ({
  ^r<i32>, %b: tensor<i32>):
    %tabl
    %1"

f32N  : Ntensor<4xi32>
}
