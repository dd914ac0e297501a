# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks of the sources themselves: headers alone, layers, mistakes that must not compile.

# Every header compiles alone: targets lazyfuse_verify_interface_header_sets, lazyfuse_cuda_verify_interface_header_sets
# and lazyfuse_cuda_verify_cuh.
set_target_properties(lazyfuse PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
if(LAZYFUSE_ENABLE_CUDA)
  set_target_properties(lazyfuse_cuda PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)

  # CMake verifies C and C++ headers only: each .cuh gets a .cu file of one line.
  set(lone_headers)
  foreach(header IN LISTS cuda_only_headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/include)
    set(lone_header ${PROJECT_BINARY_DIR}/headers_alone/${header}.cu)
    file(CONFIGURE OUTPUT ${lone_header} CONTENT "#include <${header}>\n")
    list(APPEND lone_headers ${lone_header})
  endforeach()
  if(lone_headers)
    add_library(lazyfuse_cuda_verify_cuh OBJECT EXCLUDE_FROM_ALL ${lone_headers})
    target_link_libraries(lazyfuse_cuda_verify_cuh PRIVATE lazyfuse::cuda)
    if(LAZYFUSE_CHECK_KERNELS) # as in lazyfuse_programs.cmake
      set_target_properties(lazyfuse_cuda_verify_cuh PROPERTIES CUDA_ARCHITECTURES OFF)
      target_compile_options(lazyfuse_cuda_verify_cuh PRIVATE "SHELL:-arch=lto_90 -dlto -cuda")
    endif()
  endif()
endif()

# A file includes only what its layer may know.
add_test(NAME layers COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/layer_check.cmake)
# A page shows what its examples say, and what they print: every block of code is compiled and run.
file(GLOB pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} *.md)
file(GLOB_RECURSE more_pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} docs/*.md)
foreach(page IN LISTS pages more_pages)
  add_test(NAME page.${page} COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR} -D PAGE=${page}
                                     -D PROGRAMS=${PROJECT_BINARY_DIR}/docs/examples -P ${PROJECT_SOURCE_DIR}/cmake/page_check.cmake)
  set_tests_properties(page.${page} PROPERTIES LABELS page ENVIRONMENT LAZYFUSE_CACHE=off) # some of them tune
endforeach()

# What the header and an expression cost compilers, as a number of instantiations, which clang can count.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  foreach(name header expression repeats)
    add_test(NAME instantiations.${name}
             COMMAND ${CMAKE_COMMAND} -D COMPILER=${CMAKE_CXX_COMPILER} -D SOURCE=${PROJECT_SOURCE_DIR}/test/compile_cost/${name}.cpp
                     "-DINCLUDES=$<TARGET_PROPERTY:lazyfuse,INTERFACE_INCLUDE_DIRECTORIES>"
                     "-DSYSTEM_INCLUDES=$<TARGET_PROPERTY:lazyfuse::cccl,INTERFACE_INCLUDE_DIRECTORIES>"
                     -D FOLDER=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/instantiation_check.cmake)
    set_tests_properties(instantiations.${name} PROPERTIES LABELS sanitized) # the builds that have clang
  endforeach()
endif()

# Sources that compile, and with LAZYFUSE_EXPECT_ERROR defined do not, for the reason that the first line of each gives:
#   // expected-error: <regular expression>
# Further such lines are for further mistakes in the same file.
# Both halves are tested with the C++ compiler, the failing one with nvcc as well where there is one. Sources of one call
# are compiled together.
function(lazyfuse_add_failure_tests name)
  set(sources ${ARGN})
  list(JOIN sources "\\;" sources) # one argument
  set(includes $<TARGET_PROPERTY:lazyfuse,INTERFACE_INCLUDE_DIRECTORIES>)
  set(system_includes $<TARGET_PROPERTY:lazyfuse::cccl,INTERFACE_INCLUDE_DIRECTORIES>)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/made/${name})
  set(script ${PROJECT_SOURCE_DIR}/cmake/expect_error.cmake)
  set(common "-DSOURCES=${sources}" "-DINCLUDES=${includes}" "-DSYSTEM_INCLUDES=${system_includes}" -D FOLDER=${folder})
  set(cxx -D COMPILER=${CMAKE_CXX_COMPILER} -D ID=${CMAKE_CXX_COMPILER_ID})

  add_test(NAME ${name}.ok COMMAND ${CMAKE_COMMAND} ${common} ${cxx} -P ${script})
  add_test(NAME ${name}.fail COMMAND ${CMAKE_COMMAND} ${common} ${cxx} -D EXPECT_ERROR=ON -P ${script})
  if(LAZYFUSE_ENABLE_CUDA)
    add_test(NAME ${name}.nvcc
             COMMAND ${CMAKE_COMMAND} ${common} -D COMPILER=${CMAKE_CUDA_COMPILER} -D ID=NVIDIA -D EXPECT_ERROR=ON -P ${script})
  endif()
endfunction()
