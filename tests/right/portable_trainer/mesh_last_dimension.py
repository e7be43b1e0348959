"""The last dimension that can be split, by a loop; shardings by jax.tree.map, and a step in a lambda."""


### BEGIN SOLUTION portable_trainer.mesh specs
def specs(model):
    found = {}
    for name, shape in vlm_jax.SHAPES.items():
        entry = [None] * len(shape)
        for place in reversed(range(len(shape))):
            if model > 1 and shape[place] % model == 0:
                entry[place] = "model"
                break
        found[name] = tuple(entry)
    return found


### END SOLUTION


### BEGIN SOLUTION portable_trainer.mesh export
def exported_step(data, model, batch):
    mesh = mesh_of(data, model)

    def place(entries):
        return NamedSharding(mesh, PartitionSpec(*entries))

    lies = {name: place(entries) for name, entries in specs(model).items()}
    shapes = {
        name: jax.ShapeDtypeStruct(shape, np.float32, sharding=lies[name])
        for name, shape in vlm_jax.SHAPES.items()
    }
    by_sample = place(["data"])
    pictures = jax.ShapeDtypeStruct((batch, 3, 16, 16), np.float32, sharding=by_sample)
    captions = jax.ShapeDtypeStruct((batch, 8), np.int32, sharding=by_sample)

    def step(parameters, velocity, pictures, captions):
        parameters, velocity, loss = vlm_jax.step(parameters, velocity, pictures, captions)
        pinned = jax.lax.with_sharding_constraint((parameters, velocity), (lies, lies))
        return (*pinned, loss)

    jitted = jax.jit(step, out_shardings=(lies, lies, place([])))
    return export.export(jitted)(shapes, shapes, pictures, captions)


### END SOLUTION
