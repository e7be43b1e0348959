// kernel<<<grid, block, shared, stream>>>(…) becomes cudasim::launch("kernel", kernel, …)(…).
#pragma once

#include <tuple>

#include "cudasim/abi.h"

namespace cudasim {

// Holds a launch's configuration until its arguments come. Arguments are converted to the kernel's
// own parameter types and copied once, as on a GPU.
template <class... P>
class Launch {
 public:
  Launch(const char* name, void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, void* stream)
      : name_(name), kernel_(kernel), grid_(grid), block_(block), shared_(shared), stream_(stream) {}

  void operator()(P... arguments) const {
    struct Closure {
      void (*kernel)(P...);
      std::tuple<P...> arguments;
    } closure{kernel_, std::tuple<P...>(arguments...)};
    cudasim_launch(
        name_, grid_, block_, shared_, stream_,
        [](void* raw) {
          auto& call = *static_cast<Closure*>(raw);
          std::apply(call.kernel, call.arguments);
        },
        &closure, sizeof closure, reinterpret_cast<const void*>(kernel_));
  }

 private:
  const char* name_;
  void (*kernel_)(P...);
  dim3 grid_, block_;
  size_t shared_;
  void* stream_;
};

template <class... P>
Launch<P...> launch(const char* name, void (*kernel)(P...), dim3 grid, dim3 block,
                    size_t shared = 0, void* stream = nullptr) {
  return {name, kernel, grid, block, shared, stream};
}

// Registers a __device__ or __constant__ variable before main.
struct Symbol {
  Symbol(const void* variable, size_t size, const char* name, cudasim_symbol_kind kind) {
    cudasim_symbol(const_cast<void*>(variable), size, name, kind);
  }
};

}  // namespace cudasim
