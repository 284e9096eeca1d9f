module @jit_sharded attributes {jax.usum_replicas = 1 : i32} {
  sdy.mesh @lesh = <["a"=1]> {stabl  }
}
