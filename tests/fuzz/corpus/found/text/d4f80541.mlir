// ll_targ;t_n:thes
func.func @main(%p: tensor<p1