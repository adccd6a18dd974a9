"""As much of torch as bert-score's `greedy_cos_idf` asks for, in numpy: torch itself takes 5 GB."""

from typing import Any

import numpy as np


class Torch:
    """A tensor, and the functions of the module."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)

    @staticmethod
    def norm(given: "Torch", dim: int) -> "Torch":
        return Torch(np.linalg.norm(given.array, axis=dim))

    @staticmethod
    def bmm(a: "Torch", b: "Torch") -> "Torch":
        return Torch(a.array @ b.array)

    @staticmethod
    def any(given: "Torch") -> bool:
        return bool(given.array.any())

    @staticmethod
    def isnan(given: "Torch") -> "Torch":
        return Torch(np.isnan(given.array))

    device = "cpu"

    def div_(self, other: "Torch") -> "Torch":
        self.array = self.array / other.array
        return self

    def unsqueeze(self, dim: int) -> "Torch":
        return Torch(np.expand_dims(self.array, dim))

    def transpose(self, a: int, b: int) -> "Torch":
        return Torch(self.array.swapaxes(a, b))

    def size(self, dim: int) -> int:
        return int(self.array.shape[dim])

    def expand(self, *sizes: int) -> "Torch":
        known = [n if size == -1 else size for size, n in zip(sizes, self.array.shape, strict=True)]
        return Torch(np.broadcast_to(self.array, known))

    def view_as(self, other: "Torch") -> "Torch":
        return Torch(self.array.reshape(other.array.shape))

    def float(self) -> "Torch":
        return Torch(self.array.astype(np.float64))

    def contiguous(self) -> "Torch":
        return self

    def to(self, device: str) -> "Torch":
        return self

    def max(self, dim: int) -> tuple["Torch", "Torch"]:
        return Torch(self.array.max(axis=dim)), Torch(self.array.argmax(axis=dim))

    def sum(self, dim: int, keepdim: bool = False) -> "Torch":
        return Torch(self.array.sum(axis=dim, keepdims=keepdim))

    def eq(self, other: object) -> "Torch":
        return Torch(self.array == other)

    def masked_fill(self, mask: "Torch", value: complex) -> "Torch":
        return Torch(np.where(mask.array, value, self.array))

    def __mul__(self, other: "Torch") -> "Torch":
        return Torch(self.array * other.array)

    def __rmul__(self, other: int) -> "Torch":
        return Torch(other * self.array)

    def __add__(self, other: "Torch") -> "Torch":
        return Torch(self.array + other.array)

    def __truediv__(self, other: "Torch") -> "Torch":
        return Torch(self.array / other.array)
