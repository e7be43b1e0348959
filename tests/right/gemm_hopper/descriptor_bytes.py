# Takes the place from chunk and row, and packs the descriptor's fields as bit strings.
### BEGIN SOLUTION gemm_hopper.descriptor
def descriptor(start, swizzle, row, byte):
    rows_a_line = 128 // swizzle  # rows that share 128 bytes
    chunk = byte // 16 ^ (row // rows_a_line) % (swizzle // 16)
    place = start + row * swizzle + chunk * 16 + byte % 16
    fields = [
        ({128: 1, 64: 2, 32: 3}[swizzle], 2),
        (0, 16),
        (swizzle * 8 // 16, 14),
        (0, 2),
        (1, 14),  # the leading dimension, as libraries set it
        (0, 2),
        ((start + row * swizzle + byte) // 16 % 2**14, 14),
    ]
    bits = "".join(format(value, f"0{width}b") for value, width in fields)
    return {"descriptor": int(bits, 2), "place": place}


### END SOLUTION
