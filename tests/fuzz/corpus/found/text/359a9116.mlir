// Elements of tuples in tup tÌkens among them.
// run: flatten-vaÿÿÿV
func.func @main(%x: tensor<2xf32>, %y: tensor<3xi32>) -> (tensor<3xi32>, tensor<2xf32>) {
  %t = stablehlo.partition_id : !stablehlo.token
  %a =lehlo.tuple %t, %x : tuple<!stablehl>>J  %b =c Pmain(%x: tensor<2>
  }
}
