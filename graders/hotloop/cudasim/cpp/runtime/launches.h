// Which kernels ran, with which configuration.
#pragma once

#include <string>
#include <vector>

#include "cudasim/abi.h"

namespace cudasim {

struct LaunchRecord {
  std::string kernel;
  dim3 grid;
  dim3 block;
  size_t static_shared = 0;
  size_t dynamic_shared = 0;
  unsigned launches = 1;
};

std::vector<LaunchRecord>& launches();

}  // namespace cudasim
