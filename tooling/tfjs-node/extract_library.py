"""Takes the C library of TensorFlow and its headers out of the wheel `argv[1]`, into the folder `argv[2]`."""

import sys
import zipfile

WANTED = (
    "tensorflow/libtensorflow",
    "tensorflow/include/tensorflow/c/",
    "tensorflow/include/tensorflow/core/platform/",
    "tensorflow/include/tensorflow/tsl/",
    "tensorflow/include/tsl/",
)

wheel_path, folder = sys.argv[1:]
with zipfile.ZipFile(wheel_path) as wheel:
    wheel.extractall(folder, [name for name in wheel.namelist() if name.startswith(WANTED)])
