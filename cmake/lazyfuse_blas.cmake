# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lazyfuse::blas is OpenBLAS, by which the host space multiplies matrices; where it was not found there is no such target. Used by
# the build and by the installed package. Not CMake's FindBLAS, which also finds libraries that are slower than our loops.
if(TARGET lazyfuse::blas)
  return()
endif()
find_library(LAZYFUSE_OPENBLAS openblas DOC "OpenBLAS, whose integers are int")
# Its own header: cblas.h may be that of another library.
find_path(LAZYFUSE_OPENBLAS_INCLUDE_DIR openblas_config.h PATH_SUFFIXES openblas openblas-pthread openblas-openmp openblas-serial
  DOC "Folder that holds OpenBLAS's cblas.h and openblas_config.h")
mark_as_advanced(LAZYFUSE_OPENBLAS LAZYFUSE_OPENBLAS_INCLUDE_DIR)
if(LAZYFUSE_OPENBLAS AND LAZYFUSE_OPENBLAS_INCLUDE_DIR)
  add_library(lazyfuse::blas INTERFACE IMPORTED GLOBAL)
  set_target_properties(lazyfuse::blas PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${LAZYFUSE_OPENBLAS_INCLUDE_DIR}"
                                                  INTERFACE_LINK_LIBRARIES "${LAZYFUSE_OPENBLAS}")
endif()
