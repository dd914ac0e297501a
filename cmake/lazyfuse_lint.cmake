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

# clang-tidy reads all headers and sources of the host space together, and all examples together: it looks at every header again
# for each file that it is given. (.cu files are nvcc's; the tests would show the same headers once more.) Two checks look at
# the file alone that is named, so they get the text of the others in one. One takes most of the time that instantiated
# templates cost, and has seen the headers through the sources.
set(of_one_file misc-unused-alias-decls,misc-unused-using-decls)
set(of_all -bugprone-suspicious-include)
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/examples/*.cpp)
if(NOT TARGET embed_mpi)
  list(FILTER examples EXCLUDE REGEX "/embed_mpi\\.cpp$")
endif()
set(alone ${PROJECT_SOURCE_DIR}/docs/examples/steps.cpp) # its using namespace lf::op meets the others' <cmath>
list(REMOVE_ITEM examples ${alone})

# The target is never built: clang-tidy compiles with its flags.
find_package(fmt REQUIRED)
add_library(tidied OBJECT EXCLUDE_FROM_ALL)
target_link_libraries(tidied PRIVATE lazyfuse::lazyfuse fmt::fmt-header-only $<TARGET_NAME_IF_EXISTS:MPI::MPI_CXX>)
target_include_directories(tidied PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/docs/examples)
target_compile_options(tidied PRIVATE -Wno-return-type) # the examples' main, which is then like any other function

set(stamps)
# add_tidy(<name> <checks> [options of together.cmake] SOURCES …)
function(add_tidy name checks)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  set(file ${PROJECT_BINARY_DIR}/lint/${name}.cpp)
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} "-DSOURCES=${arg_SOURCES}" -D OUTPUT=${file} ${arg_UNPARSED_ARGUMENTS} -P ${PROJECT_SOURCE_DIR}/cmake/together.cmake
    DEPENDS ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/together.cmake
    VERBATIM)
  add_custom_command(
    OUTPUT ${file}.checked
    COMMAND ${LAZYFUSE_CLANG_TIDY} --quiet --checks=${checks} --config-file=${PROJECT_SOURCE_DIR}/.clang-tidy -p ${PROJECT_BINARY_DIR} ${file}
    COMMAND ${CMAKE_COMMAND} -E touch ${file}.checked
    DEPENDS ${file} ${headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
    COMMENT "clang-tidy ${name}"
    VERBATIM)
  target_sources(tidied PRIVATE ${file})
  set(stamps ${stamps} ${file}.checked PARENT_SCOPE)
endfunction()
add_tidy(sources ${of_all} -D NAMESPACES=OFF SOURCES ${headers} ${sources})
add_tidy(sources_copied -*,${of_one_file} -D NAMESPACES=OFF -D COPIED=ON SOURCES ${sources})
add_tidy(steps ${of_all},-performance-unnecessary-value-param SOURCES ${alone})
add_tidy(steps_copied -*,${of_one_file} -D COPIED=ON SOURCES ${alone})
add_tidy(examples ${of_all},-performance-unnecessary-value-param SOURCES ${examples})
add_tidy(examples_copied -*,${of_one_file} -D COPIED=ON SOURCES ${examples})
add_custom_target(tidy DEPENDS ${stamps})
add_custom_target(lint)
add_dependencies(lint format_check tidy)
