# Words of each line and one dict of what registers hold, without a search for each number.
### BEGIN SOLUTION gemm_hopper.read_cute
def read_ptx(path):
    constants, barriers, expected, registers, shapes = {}, [], [], {"dec": [], "inc": []}, []
    loads = 0
    with open(path) as stream:
        for line in stream:
            words = line.partition("//")[0].replace(",", " ").replace(";", " ").split()
            if words and words[0].startswith("@"):
                words = words[1:]
            if not words:
                continue
            name = words[0]
            if name in ("mov.b32", "mov.u32") and words[2].isdigit():
                constants[words[1]] = int(words[2])
            elif name.startswith("mbarrier.init"):
                barriers.append(words[-1])
            elif name.startswith("mbarrier.arrive.expect_tx"):
                expected.append(words[-1])
            elif name.startswith("setmaxnreg"):
                registers[name.split(".")[1]].append(int(words[1]))
            elif name.startswith("wgmma.mma_async"):
                shapes.append(next(part for part in name.split(".") if part.startswith("m64")))
            elif name.startswith("cp.async.bulk.tensor"):
                loads += ".shared" in name.partition(".global")[0]

    def value(word):
        return constants[word] if word in constants else int(word)

    return {
        "shape": shapes[0],
        "products": len(shapes),
        "barriers": len(barriers),
        "arrivals": max(value(word) for word in barriers),
        "loads": loads,
        "bytes": max(value(word) for word in expected),
        "producer_registers": min(registers["dec"], default=0),
        "consumer_registers": max(registers["inc"], default=0),
    }


### END SOLUTION
