# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lazyfuse::cccl has libcu++'s headers (cuda/std/...), for interop/mdspan.hpp alone; without them it is empty. Used by the
# build and by the installed package.
#
#   1. a CCCL package: the one CCCL_DIR names, else the CUDA Toolkit's, else any that find_package finds;
#   2. the toolkit's plain folder include/cccl, for toolkits without package files.
# The include folder is a system one: warnings in CCCL are not the consumer's.
if(TARGET lazyfuse::cccl)
  return()
endif()

set(lazyfuse_toolkits ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_TARGET_DIR} $ENV{CUDA_PATH} /usr/local/cuda)
set(lazyfuse_cccl_hints)
foreach(toolkit IN LISTS lazyfuse_toolkits)
  list(APPEND lazyfuse_cccl_hints ${toolkit}/lib64/cmake ${toolkit}/lib/cmake)
endforeach()

if(NOT LAZYFUSE_CCCL_INCLUDE_DIR)
  if(NOT TARGET libcudacxx::libcudacxx)
    find_package(CCCL 3.0 CONFIG QUIET COMPONENTS libcudacxx HINTS ${lazyfuse_cccl_hints})
  endif()
  if(TARGET libcudacxx::libcudacxx)
    set(lazyfuse_cccl_include $<TARGET_PROPERTY:libcudacxx::libcudacxx,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endif()

if(NOT lazyfuse_cccl_include)
  # Debian's libcu++-dev (1.x, in /usr/include) is too old: only folders of its own are looked at.
  find_path(LAZYFUSE_CCCL_INCLUDE_DIR cuda/std/mdspan HINTS ${lazyfuse_toolkits} PATH_SUFFIXES include/cccl NO_DEFAULT_PATH
    DOC "Folder that holds cuda/std/mdspan of CCCL 3 or newer")
  set(lazyfuse_cccl_include ${LAZYFUSE_CCCL_INCLUDE_DIR})
endif()

add_library(lazyfuse::cccl INTERFACE IMPORTED GLOBAL)
if(lazyfuse_cccl_include)
  set_target_properties(lazyfuse::cccl PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${lazyfuse_cccl_include}")
endif()
