// What is set for a kernel with cudaFuncSetAttribute.
#pragma once

#include <cstddef>

namespace cudasim {

size_t dynamic_shared_allowed(const void* entry);

}  // namespace cudasim
