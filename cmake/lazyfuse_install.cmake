# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installation: always available, also when lazyfuse is part of another project, whose install then carries it along.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lazyfuse)

install(TARGETS lazyfuse EXPORT lazyfuse-targets FILE_SET HEADERS)
install(EXPORT lazyfuse-targets NAMESPACE lazyfuse:: DESTINATION ${package_dir})
if(LAZYFUSE_ENABLE_CUDA)
  # An export set of its own: a consumer on a machine without the toolkit still loads the host part.
  install(TARGETS lazyfuse_cuda EXPORT lazyfuse-cuda-targets FILE_SET HEADERS FILE_SET cuh)
  install(EXPORT lazyfuse-cuda-targets NAMESPACE lazyfuse:: DESTINATION ${package_dir})
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/lazyfuse-config.cmake.in ${PROJECT_BINARY_DIR}/lazyfuse-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lazyfuse-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lazyfuse-config.cmake ${PROJECT_BINARY_DIR}/lazyfuse-config-version.cmake
              ${PROJECT_SOURCE_DIR}/cmake/lazyfuse_build_type.cmake ${PROJECT_SOURCE_DIR}/cmake/lazyfuse_cccl.cmake ${PROJECT_SOURCE_DIR}/cmake/lazyfuse_blas.cmake
        DESTINATION ${package_dir})
