# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What tests, benchmarks and examples share: the warnings of our own code, and one function per kind.

# Warnings are switched on for our own targets only: never part of an interface. (In CI they are errors.)
set(lazyfuse_warnings $<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra> $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlap and sizes below 0 in "text" + std::string (its bugs 105651 and 105329).
  list(APPEND lazyfuse_warnings $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict> $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow>)
endif()
target_compile_options(lazyfuse PRIVATE ${lazyfuse_warnings})
if(LAZYFUSE_ENABLE_CUDA)
  target_compile_options(lazyfuse_cuda PRIVATE ${lazyfuse_warnings})
endif()

# lld links what clang compiles, sanitizers above all, in a fifth of the time.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  find_program(LAZYFUSE_LLD ld.lld)
  if(LAZYFUSE_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# All programs of the CUDA space, so that a machine without a GPU can build exactly these.
add_custom_target(cuda_programs)

# A program compiled by the C++ compiler against the host space.
function(lazyfuse_add_host_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE lazyfuse::lazyfuse)
  target_compile_options(${name} PRIVATE ${lazyfuse_warnings})
endfunction()

# A program compiled by nvcc, whose default space is CUDA. A .cpp source is compiled by nvcc too, after
# lazyfuse/cuda.cuh, so that one source can serve both spaces. Without CUDA in the build nothing is added. WANTS_A_GPU:
# nothing of it runs without one; with LAZYFUSE_CHECK_KERNELS it is then no program, but what nvcc has before machine code is
# made: every template is instantiated and every kernel checked, in a third of the time. (The host's half of it has been
# through nvcc, too; g++ compiles the same for the tests of the host.)
function(lazyfuse_add_cuda_program name)
  if(NOT LAZYFUSE_ENABLE_CUDA)
    return()
  endif()
  cmake_parse_arguments(arg "WANTS_A_GPU" "" "" ${ARGN})
  set(sources)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    if(source MATCHES "\\.cpp$")
      cmake_path(ABSOLUTE_PATH source)
      cmake_path(GET source STEM stem)
      file(CONFIGURE OUTPUT by_nvcc/${name}/${stem}.cu CONTENT "#include <lazyfuse/cuda.cuh>\n#include \"${source}\"\n")
      set(source ${CMAKE_CURRENT_BINARY_DIR}/by_nvcc/${name}/${stem}.cu)
    endif()
    list(APPEND sources ${source})
  endforeach()
  if(arg_WANTS_A_GPU AND LAZYFUSE_CHECK_KERNELS)
    add_library(${name} OBJECT ${sources})
    set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES OFF)
    target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-arch=lto_90 -dlto -cuda>")
  else()
    add_executable(${name} ${sources})
  endif()
  target_link_libraries(${name} PRIVATE lazyfuse::cuda)
  # nvcc's warnings are shown, but are no errors: it has some for right code, and no way to say so at one place only.
  set_target_properties(${name} PROPERTIES COMPILE_WARNING_AS_ERROR OFF)
  add_dependencies(cuda_programs ${name})
endfunction()

# A program whose default space is CUDA, compiled by the C++ compiler: its kernels are made when it runs. WANTS_A_GPU: as above;
# the compiler then instantiates everything, which is where mistakes show, and writes no code, in a third of the time.
function(lazyfuse_add_gxx_program name)
  if(NOT LAZYFUSE_ENABLE_CUDA)
    return()
  endif()
  cmake_parse_arguments(arg "WANTS_A_GPU" "" "" ${ARGN})
  if(arg_WANTS_A_GPU AND LAZYFUSE_CHECK_KERNELS)
    add_library(${name} OBJECT ${arg_UNPARSED_ARGUMENTS})
    target_compile_options(${name} PRIVATE -fsyntax-only)
  else()
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  endif()
  target_link_libraries(${name} PRIVATE lazyfuse::cuda)
  target_compile_options(${name} PRIVATE ${lazyfuse_warnings})
  add_dependencies(cuda_programs ${name})
endfunction()

# Registers a test. Tests of a CUDA program carry the label gpu; where there is no device they are skipped: by exit status 77,
# and examples by the words of the error that ends them, too. (Tests say the same words, and then fail in the host space.)
function(lazyfuse_add_program_test name program)
  cmake_parse_arguments(arg "CUDA" "" "LABELS;COMMAND_ARGUMENTS" ${ARGN})
  if(arg_CUDA AND NOT LAZYFUSE_ENABLE_CUDA)
    return()
  endif()
  get_target_property(type ${program} TYPE)
  if(NOT type STREQUAL "EXECUTABLE") # checked only
    return()
  endif()
  add_test(NAME ${name} COMMAND ${program} ${arg_COMMAND_ARGUMENTS})
  set(labels ${arg_LABELS})
  if(arg_CUDA)
    list(APPEND labels gpu)
    # One device: tests that time or fill it must not run side by side.
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK device)
    if("example" IN_LIST arg_LABELS)
      set_tests_properties(${name} PROPERTIES
                           SKIP_REGULAR_EXPRESSION "no CUDA-capable device|CUDA driver version is insufficient")
    endif()
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_RETURN_CODE 77 ENVIRONMENT "${LAZYFUSE_TEST_ENVIRONMENT}")
endfunction()

# What whoever works here has tuned changes no plan that a test expects, and no test what they have on the disk.
set(LAZYFUSE_TEST_ENVIRONMENT "LAZYFUSE_CACHE=${PROJECT_BINARY_DIR}/cache_of_tests")
# Several run at a time: threads that have nothing to do leave the processor to the others.
list(APPEND LAZYFUSE_TEST_ENVIRONMENT OMP_WAIT_POLICY=passive)

# Sanitizers: asking for more memory than there is must fail as it does without them. ThreadSanitizer sees OpenMP's
# barriers through Archer, a tool that libomp loads; without it each barrier is a false report.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=address")
  list(APPEND LAZYFUSE_TEST_ENVIRONMENT "ASAN_OPTIONS=allocator_may_return_null=1:handle_sigill=1") # what traps leaves a stack
elseif(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  cmake_path(GET OpenMP_omp_LIBRARY PARENT_PATH openmp_dir)
  file(GLOB llvm_dirs /usr/lib/llvm-*/lib)
  list(SORT llvm_dirs COMPARE NATURAL ORDER DESCENDING)
  find_library(LAZYFUSE_ARCHER archer HINTS ${openmp_dir} ${llvm_dirs} REQUIRED)
  list(APPEND LAZYFUSE_TEST_ENVIRONMENT
      "OMP_TOOL_LIBRARIES=${LAZYFUSE_ARCHER}"
      "TSAN_OPTIONS=ignore_noninstrumented_modules=1 halt_on_error=1 allocator_may_return_null=1")
endif()
