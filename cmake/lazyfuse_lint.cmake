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
# for each file that it is given. (.cu files are nvcc's; the tests would show the same headers once more.) Two checks are for
# the file alone that is named; they take little time. One looks through the whole for each function, and takes more than all
# others together, unless it is given the headers, and each source, alone.
set(of_one_file misc-unused-alias-decls,misc-unused-using-decls)
set(of_few performance-unnecessary-value-param)
set(of_all -bugprone-suspicious-include,-${of_few})
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/examples/*.cpp)
list(FILTER examples EXCLUDE REGEX "/gpu_without_nvcc\\.cpp$") # of lazyfuse::cuda
if(NOT TARGET embed_mpi)
  list(FILTER examples EXCLUDE REGEX "/embed_mpi\\.cpp$")
endif()
get_target_property(has_cccl lazyfuse::cccl INTERFACE_INCLUDE_DIRECTORIES)
if(NOT has_cccl) # mdspans are CCCL's
  list(FILTER examples EXCLUDE REGEX "/interop\\.cpp$")
  list(FILTER headers EXCLUDE REGEX "/mdspan\\.hpp$")
endif()
# using namespace lf::op meets the others' <cmath>; what specialises a template of lazyfuse cannot be in a namespace
set(alone ${PROJECT_SOURCE_DIR}/docs/examples/steps.cpp ${PROJECT_SOURCE_DIR}/docs/examples/pattern.cpp)
list(REMOVE_ITEM examples ${alone})
# The two checks of one file are for other names of what has one: of the examples, few have more of them than lf, which all use.
set(renaming)
foreach(example IN LISTS examples alone)
  file(STRINGS ${example} names REGEX "^ *(using +[A-Za-z0-9_:]+ *;|namespace +[A-Za-z0-9_]+ *=)")
  list(FILTER names EXCLUDE REGEX "^namespace lf = lazyfuse")
  if(names)
    list(APPEND renaming ${example})
  endif()
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${examples} ${alone})

# The target is never built: clang-tidy compiles with its flags.
find_package(fmt REQUIRED)
add_library(tidied OBJECT EXCLUDE_FROM_ALL)
target_link_libraries(tidied PRIVATE lazyfuse::lazyfuse fmt::fmt-header-only $<TARGET_NAME_IF_EXISTS:MPI::MPI_CXX>)
target_include_directories(tidied PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/docs/examples)
target_compile_options(tidied PRIVATE -Wno-return-type) # the examples' main, which is then like any other function
get_target_property(in_unity lazyfuse UNITY_BUILD)
if(in_unity) # nothing else then says how a source alone is compiled
  target_sources(tidied PRIVATE ${sources})
endif()

set(stamps)
function(add_tidy name checks files depends)
  set(stamp ${PROJECT_BINARY_DIR}/lint/${name}.checked)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${LAZYFUSE_CLANG_TIDY} --quiet --checks=${checks} --config-file=${PROJECT_SOURCE_DIR}/.clang-tidy
            --extra-arg=-Wno-unknown-warning-option -p ${PROJECT_BINARY_DIR} ${files}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${files} ${depends} ${headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
    COMMENT "clang-tidy: ${name}"
    VERBATIM)
  set(stamps ${stamps} ${stamp} PARENT_SCOPE)
endfunction()
# add_tidy_together(<name> <checks> <option of together.cmake> <source> …)
function(add_tidy_together name checks option)
  set(file ${PROJECT_BINARY_DIR}/lint/${name}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/together.cmake)
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} "-DSOURCES=${ARGN}" -D OUTPUT=${file} ${option} -P ${script}
    DEPENDS ${ARGN} ${script}
    VERBATIM)
  target_sources(tidied PRIVATE ${file})
  add_tidy(${name} ${checks} ${file} "${ARGN}")
  set(stamps ${stamps} PARENT_SCOPE)
endfunction()
add_tidy_together(sources ${of_all} -DNAMESPACES=OFF ${headers} ${sources})
add_tidy_together(headers -*,${of_few} -DNAMESPACES=OFF ${headers})
add_tidy_together(examples ${of_all} -DNAMESPACES=ON ${examples})
add_tidy(one_example ${of_all} "${alone}" "")
add_tidy(each_source -*,${of_one_file},${of_few} "${sources}" "")
add_tidy(each_example -*,${of_one_file} "${renaming}" "")
add_custom_target(tidy DEPENDS ${stamps})
add_custom_target(lint)
add_dependencies(lint format_check tidy)
