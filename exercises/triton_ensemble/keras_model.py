"""A small Keras model that sorts pictures, and what a SavedModel of it has to be called."""

import numpy as np

SIZE = (16, 24, 3)
"""Height, width, channels: Keras keeps channels last."""

CLASSES = 5
INPUT, OUTPUT = "images", "scores"


def load(seed):
    """Two convolutions with a normalization, and a classifier; random weights of this seed."""
    import keras

    model = keras.Sequential(
        [
            keras.Input(SIZE),
            keras.layers.Conv2D(8, 3, padding="same", use_bias=False),
            keras.layers.BatchNormalization(),
            keras.layers.ReLU(),
            keras.layers.MaxPooling2D(),
            keras.layers.Conv2D(12, 3, strides=2, padding="same", activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(CLASSES),
        ]
    )
    draw = np.random.default_rng(seed)
    # A variance is never negative; the others may be.
    weights = [np.abs(draw.standard_normal(w.shape)) + 0.1 for w in model.weights]
    signs = [1 if "variance" in w.name else draw.choice((-1, 1), w.shape) for w in model.weights]
    model.set_weights([w * sign for w, sign in zip(weights, signs, strict=True)])
    return model
