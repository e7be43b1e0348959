#pragma once
#error "matrix instructions (wmma) are not simulated"
