# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack tensors to NumPy and back, without an extension module: exchange.py <shared library>. 77: NumPy is missing."""
import ctypes
import gc
import sys

try:
    import numpy as np
    np.zeros(1).__dlpack__(max_version=(1, 0))
except (ImportError, TypeError):
    print("NumPy 2.1 or newer is missing")
    sys.exit(77)

api, lib = ctypes.pythonapi, ctypes.CDLL(sys.argv[1])
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = ctypes.py_object, ctypes.c_char_p
api.PyCapsule_SetName.argtypes = ctypes.py_object, ctypes.c_char_p
lib.make.restype = lib.make_old.restype = ctypes.c_void_p
lib.squares.restype = lib.double_all.restype = ctypes.c_bool
VERSIONED, USED = b"dltensor_versioned", b"used_dltensor_versioned"


class Tensor:
    """One of ours, as from_dlpack asks for it."""

    def __init__(self, pointer, name):
        self.pointer, self.name = pointer, name

    def __dlpack__(self, **options):
        return api.PyCapsule_New(self.pointer, self.name, None)

    def __dlpack_device__(self):
        return 1, 0


def give(array, function, *arguments):
    """Calls ours with a tensor of NumPy's; whether it was taken."""
    capsule = array.__dlpack__(max_version=(1, 0))
    taken = function(ctypes.c_void_p(api.PyCapsule_GetPointer(capsule, VERSIONED)), *arguments)
    if taken:
        api.PyCapsule_SetName(capsule, USED)  # the deleter has been called
    return taken


want = np.arange(6.0).reshape(2, 3)
own = np.from_dlpack(Tensor(lib.make(0), VERSIONED))
assert (own == want).all() and own.flags.writeable and own.dtype == np.float64
own[0, 0] = 7
shared = np.from_dlpack(Tensor(lib.make(1), VERSIONED))
assert (shared == want).all() and not shared.flags.writeable
old = np.from_dlpack(Tensor(lib.make_old(), b"dltensor"))
assert (old == want).all()
del own, shared, old
gc.collect()

x = np.arange(24.0).reshape(4, 6)
for view in (x, x.T, x[::2, 1::2], x[::-1, ::-1], np.asfortranarray(x), x[:0]):
    sums = (ctypes.c_double * 8)()
    assert give(view, lib.squares, sums)
    assert list(sums[:len(view)]) == list((view * view).sum(axis=1)), view
assert not give(x.astype(np.float32), lib.squares, sums)
assert not give(x[0], lib.squares, sums)
assert give(x[:, ::-1], lib.double_all)
assert (x == 2 * np.arange(24.0).reshape(4, 6)).all()
x.flags.writeable = False
assert not give(x, lib.double_all)
print("NumPy", np.__version__, "as expected")
