// kernel<<<grid, block, shared, stream>>>(…) becomes cudasim::launch("kernel", kernel, …)(…).
#pragma once

#include <tuple>

#include "cudasim/abi.h"

namespace cudasim {

struct Configuration {
  const char* name;
  dim3 grid, block;
  size_t shared;
  void* stream;
};

// Copies the arguments once, as on a GPU, and has `kernel` called with them in every CUDA thread.
template <class F, class... A>
inline __attribute__((always_inline)) void start(const Configuration& c, F kernel,
                                                 std::tuple<A...> arguments, const void* entry) {
  struct Closure {
    F kernel;
    std::tuple<A...> arguments;
  } closure{kernel, arguments};
  cudasim_launch(
      c.name, c.grid, c.block, c.shared, c.stream,
      [](void* raw) {
        auto& call = *static_cast<Closure*>(raw);
        std::apply(call.kernel, call.arguments);
      },
      &closure, sizeof closure, entry);
}

// A launch that waits for its arguments. They are converted to the kernel's own parameter types.
template <class... P>
struct Launch {
  Configuration configuration;
  void (*kernel)(P...);

  __attribute__((always_inline)) void operator()(P... arguments) const {
    start(configuration, kernel, std::tuple<P...>(arguments...),
          reinterpret_cast<const void*>(kernel));
  }
};

template <class... P>
Launch<P...> launch(const char* name, void (*kernel)(P...), dim3 grid, dim3 block,
                    size_t shared = 0, void* stream = nullptr) {
  return {{name, grid, block, shared, stream}, kernel};
}

// The same where the kernel's template arguments follow from the call's: `kernel` is a generic
// lambda around it.
template <class F>
struct DeducingLaunch {
  Configuration configuration;
  F kernel;

  template <class... A>
  __attribute__((always_inline)) void operator()(A... arguments) const {
    start(configuration, kernel, std::tuple<A...>(arguments...), nullptr);
  }
};

template <class F>
DeducingLaunch<F> launch(const char* name, F kernel, dim3 grid, dim3 block, size_t shared = 0,
                         void* stream = nullptr) {
  return {{name, grid, block, shared, stream}, kernel};
}

// Registers a __device__ or __constant__ variable before main.
struct Symbol {
  Symbol(const void* variable, size_t size, const char* name, cudasim_symbol_kind kind) {
    cudasim_symbol(const_cast<void*>(variable), size, name, kind);
  }
};

}  // namespace cudasim
