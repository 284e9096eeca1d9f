#!/usr/bin/env bash
# Fetches the libraries of CUDA that the daemon opens at run time, as NVIDIA publishes them on PyPI, at the versions and
# digests of cuda-12.txt or cuda-13.txt beside this script.
#
#   deploy/container/cuda_libraries.sh 12|13 OUTPUT
#     OUTPUT/usr/local/cuda/lib64/...        the libraries
#     OUTPUT/etc/ld.so.conf.d/acceld.conf    the loader's way to them
#     OUTPUT/usr/share/doc/NAME/...          NVIDIA's licences
#
# Left out is what the daemon never opens: cuSOLVER for several GPUs, cuFFT's and cuBLAS's stand-ins for FFTW and BLAS,
# other builds of NVRTC.
set -Eeuo pipefail
trap 'echo "cuda_libraries.sh: failed in line $LINENO" >&2' ERR
umask 022
here=$(cd "$(dirname "$0")" && pwd)
cuda=$1 output=$2
left_out='libcusolverMg\.|libcufftw\.|libnvblas\.|libnvrtc.*\.alt\.'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip install -q --no-deps --only-binary :all: --require-hashes --no-compile --target "$work/wheels" \
  --root-user-action ignore -r "$here/cuda-$cuda.txt"

mkdir -p "$output"/{usr/local/cuda/lib64,etc/ld.so.conf.d,usr/share/doc}
find "$work/wheels" -type f -name 'lib*.so.*' | grep -Ev "/($left_out)" |
  while read -r library; do mv "$library" "$output/usr/local/cuda/lib64/"; done
for folder in "$work"/wheels/*.dist-info; do
  name=$(basename "$folder" .dist-info)
  mkdir -p "$output/usr/share/doc/$name"
  find "$folder" -type f -iname '*licen[sc]e*' -exec cp -t "$output/usr/share/doc/$name/" {} +
done
echo /usr/local/cuda/lib64 >"$output/etc/ld.so.conf.d/acceld.conf"
