// Only the type: PyTorch's headers name it in all CUDA C++ code.
#pragma once

#include <complex>

namespace thrust {
template <class T>
struct complex : std::complex<T> {
  using std::complex<T>::complex;
};
template <class T>
complex<T> polar(const T& length, const T& angle) {
  const std::complex<T> same = std::polar(length, angle);
  return {same.real(), same.imag()};
}
}  // namespace thrust
