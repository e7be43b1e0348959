"""The shortest dimension that can be split, trees of shardings by jax.tree.map, and arrays of zeros as the example."""


### BEGIN SOLUTION portable_trainer.mesh specs
def specs(model):
    def one(shape):
        able = sorted((n, place) for place, n in enumerate(shape) if n % model == 0)
        chosen = able[0][1] if able else -1
        return ["model" if place == chosen else None for place, _ in enumerate(shape)]

    return dict(zip(vlm_jax.SHAPES, map(one, vlm_jax.SHAPES.values())))


### END SOLUTION


### BEGIN SOLUTION portable_trainer.mesh export
def exported_step(data, model, batch):
    mesh = mesh_of(data, model)
    parts = {name: PartitionSpec(*entry) for name, entry in specs(model).items()}
    batches, whole = PartitionSpec("data", None), PartitionSpec()
    trees = (parts, parts, batches, batches), (parts, parts, whole)
    shardings = jax.tree.map(
        lambda part: NamedSharding(mesh, part),
        trees,
        is_leaf=lambda value: isinstance(value, PartitionSpec),
    )
    zeros = {name: jnp.zeros(shape, jnp.float32) for name, shape in vlm_jax.SHAPES.items()}
    pictures, captions = jnp.zeros((batch, 3, 16, 16)), jnp.zeros((batch, 8), jnp.int32)
    step = jax.jit(
        lambda p, v, x, y: vlm_jax.step(p, v, x, y),
        in_shardings=shardings[0],
        out_shardings=shardings[1],
    )
    pictures = jax.ShapeDtypeStruct((batch, 3, 16, 16), pictures.dtype)
    captions = jax.ShapeDtypeStruct(captions.shape, captions.dtype)
    return export.export(step)(zeros, zeros, pictures, captions)


### END SOLUTION
