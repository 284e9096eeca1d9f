!e = f32
!c = complex<!e>
!m = tensor<2x!e>
!p = tuple<!m, !m>
!f = (!m, !m) -> !m
#a = dense<[1.0, 2.0]> : !m
#n = 3 : i64
#d = {k = [#n, #a]}
func.func @main(%x: !m loc(#loc1)) -> (!m {some.name = #d}) {
  %0 = stablehlo.constant #a
  %1 = "stablehlo.add"(%0, %x) : !f loc(callsite(#loc1 at #loc2))
  return %1 : !m
}
#loc1 = loc("x")
#loc2 = loc("f.py":1:2)
