"""Compares the samples of each shard with one another only.

fails: mesh.same
"""


### BEGIN SOLUTION portable_trainer.mesh export
def exported_step(data, model, batch):
    """`vlm_jax.step` for a mesh, exported, for so many samples over all of the mesh."""
    mesh = mesh_of(data, model)
    split = {
        name: NamedSharding(mesh, PartitionSpec(*entry)) for name, entry in specs(model).items()
    }
    samples, everywhere = (NamedSharding(mesh, PartitionSpec(*entry)) for entry in (["data"], []))

    def local_loss(parameters, pictures, captions):
        parts = (x.reshape(data, -1, *x.shape[1:]) for x in (pictures, captions))
        return jax.vmap(lambda p, c: vlm_jax.loss(parameters, p, c))(*parts).mean()

    def local_step(parameters, velocity, pictures, captions):
        value, gradient = jax.value_and_grad(local_loss)(parameters, pictures, captions)
        velocity = {n: vlm_jax.MOMENTUM * v + gradient[n] for n, v in velocity.items()}
        rate = vlm_jax.LEARNING_RATE
        return {n: p - rate * velocity[n] for n, p in parameters.items()}, velocity, value

    step = jax.jit(
        local_step,
        in_shardings=(split, split, samples, samples),
        # What comes out lies as it went in, so that it can go in again.
        out_shardings=(split, split, everywhere),
    )
    parameters = {
        name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in vlm_jax.SHAPES.items()
    }
    pictures = jax.ShapeDtypeStruct((batch, 3, 16, 16), jnp.float32)
    captions = jax.ShapeDtypeStruct((batch, 8), jnp.int32)
    return export.export(step)(parameters, parameters, pictures, captions)


### END SOLUTION
