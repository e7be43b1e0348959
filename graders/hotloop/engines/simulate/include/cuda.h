// The driver API: of it, tensor maps only.
#pragma once
#include "cuda_runtime.h"
#include "hotloop/tensor_map.h"
