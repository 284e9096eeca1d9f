func.func private @f() {r   n w}
