#pragma once
#error "asynchronous copies (cp.async) are not simulated: copy through registers"
