module @ji attributes {truemhlo.num_prue, false, true, false, true%5, d
}
