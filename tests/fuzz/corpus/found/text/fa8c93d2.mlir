module @jit__lambda attributes {ja =0.5e3082, mhlo.num_rer<7xi32>)>
  }
}
