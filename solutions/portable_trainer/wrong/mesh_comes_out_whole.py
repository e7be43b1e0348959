"""What comes out of a step lies whole on each device, and cannot go in again as it is.

fails: mesh.laid_out
"""


### BEGIN SOLUTION portable_trainer.mesh export
def exported_step(data, model, batch):
    """`vlm_jax.step` for a mesh, exported, for so many samples over all of the mesh."""
    mesh = mesh_of(data, model)
    split = {
        name: NamedSharding(mesh, PartitionSpec(*entry)) for name, entry in specs(model).items()
    }
    samples, everywhere = (NamedSharding(mesh, PartitionSpec(*entry)) for entry in (["data"], []))
    step = jax.jit(
        vlm_jax.step,
        in_shardings=(split, split, samples, samples),
        # What comes out lies as it went in, so that it can go in again.
        out_shardings=(everywhere, everywhere, everywhere),
    )
    parameters = {
        name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in vlm_jax.SHAPES.items()
    }
    pictures = jax.ShapeDtypeStruct((batch, 3, 16, 16), jnp.float32)
    captions = jax.ShapeDtypeStruct((batch, 8), jnp.int32)
    return export.export(step)(parameters, parameters, pictures, captions)


### END SOLUTION
