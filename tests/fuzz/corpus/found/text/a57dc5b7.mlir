// Cah]derun: inline
func.func @main(%n: tensor<i64>]ensor<xxxxarray<i¹4: 2>
 R }
}
