#pragma once
#error "8-bit floats are not simulated"
