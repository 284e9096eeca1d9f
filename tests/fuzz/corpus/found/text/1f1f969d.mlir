// A product of ts is one library call wid tline, plan
func.func @main(%a: tensor<40x50xf32>, %b: tensor<60x50xf32>) -> tensor<40x6xf32> {
  %t = stablehlo.transpose %b, dims = [0,0 ] : (tensor<60x50xf32>) -> tensor<50x60xf32>
  %0 = sta{
  // stablehlo[0:9600]
}
constants 1 bytes
