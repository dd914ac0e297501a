# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Target lint: layout by clang-format, common mistakes by clang-tidy. Both of version 14, since others format otherwise.
find_program(LAZYFUSE_CLANG_FORMAT clang-format-14)
find_program(LAZYFUSE_CLANG_TIDY clang-tidy-14)
if(NOT LAZYFUSE_CLANG_FORMAT OR NOT LAZYFUSE_CLANG_TIDY)
  add_custom_target(lint COMMAND ${CMAKE_COMMAND} -E echo "lazyfuse: lint needs clang-format-14 and clang-tidy-14" COMMAND false)
  return()
endif()

set(formatted)
foreach(folder include src test bench docs/examples)
  foreach(extension hpp cuh cpp cu)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.${extension})
    list(APPEND formatted ${found})
  endforeach()
endforeach()
add_custom_target(format_check COMMAND ${LAZYFUSE_CLANG_FORMAT} --dry-run --Werror ${formatted} VERBATIM)
add_custom_target(format COMMAND ${LAZYFUSE_CLANG_FORMAT} -i ${formatted} VERBATIM)

# clang-tidy reads the library's sources and, through the examples, all headers of the host space. (.cu files are nvcc's;
# the tests would take ten times as long and show the same headers again.) One check takes three quarters of the time that
# instantiated templates cost, and sees each header through the sources already.
file(GLOB checked CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/examples/*.cpp)
if(NOT TARGET embed_mpi)
  list(FILTER checked EXCLUDE REGEX "/embed_mpi\\.cpp$")
endif()
list(APPEND checked ${sources})
set(stamps)
foreach(source IN LISTS checked)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
  set(checks)
  if(name MATCHES "^docs/examples/")
    set(checks --checks=-performance-unnecessary-value-param)
  endif()
  set(stamp ${PROJECT_BINARY_DIR}/lint/${name}.checked)
  cmake_path(GET stamp PARENT_PATH stamp_dir)
  file(MAKE_DIRECTORY ${stamp_dir})
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${LAZYFUSE_CLANG_TIDY} --quiet ${checks} --extra-arg=-Wno-unknown-warning-option -p ${PROJECT_BINARY_DIR} ${source}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${source} ${headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
    COMMENT "clang-tidy ${name}"
    VERBATIM)
  list(APPEND stamps ${stamp})
endforeach()
add_custom_target(tidy DEPENDS ${stamps})
add_custom_target(lint)
add_dependencies(lint format_check tidy)
