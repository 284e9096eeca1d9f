module @jit_a attributes {j""t}
