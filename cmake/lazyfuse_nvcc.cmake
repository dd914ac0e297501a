# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The CUDA language: for the library's own kernels (src/**/*.cu), and for tests, benchmarks and examples. Consumers of the
# installed library need neither. One architecture by default: CUDAARCHS or CMAKE_CUDA_ARCHITECTURES choose others, and are
# those that the library's own kernels are made for. (All other kernels are made by the consumer's nvcc or at run time.)
if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  if(NOT CUDAToolkit_NVCC_EXECUTABLE)
    message(FATAL_ERROR "lazyfuse: LAZYFUSE_ENABLE_CUDA is ON, but the CUDA Toolkit has no nvcc, which compiles the library's "
                        "own kernels: install it, or name one by CMAKE_CUDA_COMPILER or CUDACXX.")
  endif()
  set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
enable_language(CUDA)
