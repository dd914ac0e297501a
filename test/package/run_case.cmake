# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs one case of this folder's CMakeLists.txt: cmake -D CASE=… (and what that file passes) -P run_case.cmake
cmake_minimum_required(VERSION 3.25)
set(here ${CMAKE_CURRENT_LIST_DIR})
set(prefix ${WORK}/prefix)
# What the caller's environment adds to every compilation is none of lazyfuse's doing.
unset(ENV{CXXFLAGS})
unset(ENV{CMAKE_COLOR_DIAGNOSTICS})
set(options -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${CXX} -D LAZYFUSE_ENABLE_CUDA=${CUDA} -D CMAKE_EXPORT_COMPILE_COMMANDS=ON)
if(CCCL)
  list(APPEND options -D LAZYFUSE_CCCL_INCLUDE_DIR=${CCCL})
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(configure project)
  file(REMOVE_RECURSE ${WORK}/${project})
  run(${CMAKE_COMMAND} -S ${here}/${project} -B ${WORK}/${project} ${options} ${ARGN})
endfunction()

function(build_and_run project)
  run(${CMAKE_COMMAND} --build ${WORK}/${project} --target consumer)
  run(${WORK}/${project}/consumer)
endfunction()

function(expect_installed in)
  foreach(file include/lazyfuse/lazyfuse.hpp liblazyfuse.a lazyfuse-config.cmake lazyfuse-config-version.cmake)
    file(GLOB_RECURSE found ${in}/*)
    list(FILTER found INCLUDE REGEX "/${file}$")
    if(NOT found)
      message(FATAL_ERROR "${file} was not installed in ${in}")
    endif()
  endforeach()
endfunction()

if(CASE STREQUAL "install")
  file(REMOVE_RECURSE ${prefix})
  run(${CMAKE_COMMAND} --install ${BINARY} --prefix ${prefix})
  expect_installed(${prefix})

elseif(CASE STREQUAL "find_package")
  configure(find_package -D CMAKE_PREFIX_PATH=${prefix})
  build_and_run(find_package)

elseif(CASE STREQUAL "cuda") # built, not run: the machine may have no device
  configure(cuda -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CUDA_COMPILER=${NVCC} -D CMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES})
  run(${CMAKE_COMMAND} --build ${WORK}/cuda)

elseif(CASE STREQUAL "cuda_without_nvcc") # nor the CUDA language; built, as above
  configure(cuda_without_nvcc -D CMAKE_PREFIX_PATH=${prefix})
  run(${CMAKE_COMMAND} --build ${WORK}/cuda_without_nvcc)

elseif(CASE STREQUAL "add_subdirectory")
  configure(add_subdirectory -D LAZYFUSE_SOURCE=${SOURCE} -D CMAKE_UNITY_BUILD=ON)
  build_and_run(add_subdirectory)

elseif(CASE STREQUAL "fetch_content") # from an archive, as a release is fetched
  set(archive ${WORK}/lazyfuse.tar.gz)
  file(MAKE_DIRECTORY ${WORK})
  execute_process(COMMAND ${CMAKE_COMMAND} -E tar czf ${archive} CMakeLists.txt cmake include src
                  WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
  configure(fetch_content -D LAZYFUSE_SOURCE=${archive} -D CMAKE_UNITY_BUILD=ON)
  build_and_run(fetch_content)

elseif(CASE STREQUAL "sub_project_can_install")
  file(REMOVE_RECURSE ${WORK}/parent_prefix)
  run(${CMAKE_COMMAND} --build ${WORK}/add_subdirectory)
  run(${CMAKE_COMMAND} --install ${WORK}/add_subdirectory --prefix ${WORK}/parent_prefix)
  expect_installed(${WORK}/parent_prefix)

elseif(CASE STREQUAL "configures_without_network")
  file(REMOVE_RECURSE ${WORK}/offline)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/offline ${options} -D FETCHCONTENT_FULLY_DISCONNECTED=ON
      -D LAZYFUSE_BUILD_TESTS=OFF -D LAZYFUSE_BUILD_EXAMPLES=OFF)

elseif(CASE STREQUAL "builds_that_nobody_chose_are_warned_of") # a consumer that finds the package; once, however often it is found
  foreach(type IN ITEMS "" Debug)
    file(REMOVE_RECURSE ${WORK}/build_type)
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${here}/find_package -B ${WORK}/build_type ${options} -D CMAKE_PREFIX_PATH=${prefix}
                            -D CMAKE_BUILD_TYPE=${type}
                    OUTPUT_VARIABLE said ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "CMAKE_BUILD_TYPE is not set" warnings "${said}")
    list(LENGTH warnings count)
    string(COMPARE EQUAL "${type}" "" expected)
    if(NOT count EQUAL expected)
      message(FATAL_ERROR "${count} warnings for the build type '${type}':\n${said}")
    endif()
  endforeach()

elseif(CASE STREQUAL "no_flag_leaks_to_consumers")
  # What the consumer's compiler is really told: its own file, include folders, the standard. Nothing else.
  file(READ ${WORK}/find_package/compile_commands.json commands)
  string(JSON command GET "${commands}" 0 command)
  separate_arguments(words UNIX_COMMAND "${command}")
  list(POP_FRONT words)
  list(FILTER words EXCLUDE REGEX "^(-std=(c|gnu)\\+\\+[0-9a-z]+|-isystem|-o|-c|[^-].*)$")
  if(words)
    message(FATAL_ERROR "lazyfuse::lazyfuse adds to its consumers: ${words}")
  endif()

else()
  message(FATAL_ERROR "no such case: ${CASE}")
endif()
