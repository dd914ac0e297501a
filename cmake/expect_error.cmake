# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D SOURCE=… -D COMPILER=… -D ID=… -D INCLUDES=… -D SYSTEM_INCLUDES=… [-D EXPECT_ERROR=ON] -P expect_error.cmake
# Compiles SOURCE. With EXPECT_ERROR it must fail with the message that its first line names, and g++ must not need more
# than 20 lines to say so; without, it must compile.
cmake_minimum_required(VERSION 3.25)
set(max_lines 20)

file(STRINGS ${SOURCE} expected LIMIT_COUNT 1)
if(NOT expected MATCHES "^// expected-error: (.+)$")
  message(FATAL_ERROR "${SOURCE}: the first line must be // expected-error: <regular expression>")
endif()
set(expected "${CMAKE_MATCH_1}")

set(flags -std=c++20)
foreach(dir IN LISTS INCLUDES)
  list(APPEND flags -I${dir})
endforeach()
foreach(dir IN LISTS SYSTEM_INCLUDES)
  list(APPEND flags -isystem ${dir})
endforeach()
if(EXPECT_ERROR)
  list(APPEND flags -DLAZYFUSE_EXPECT_ERROR)
endif()
if(ID STREQUAL "NVIDIA")
  list(APPEND flags -x cu -arch=sm_90 -ptx -o /dev/null)
else()
  list(APPEND flags -fsyntax-only)
endif()

# Messages are matched as text: no translation, no colour, no quotation marks beyond ASCII.
set(ENV{LC_ALL} C)
execute_process(COMMAND ${COMPILER} ${flags} ${SOURCE} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(NOT EXPECT_ERROR)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${SOURCE} should compile without its mistake, but:\n${output}")
  endif()
  return()
endif()

if(status EQUAL 0)
  message(FATAL_ERROR "${SOURCE} compiled, but should fail with: ${expected}")
endif()
if(NOT output MATCHES "${expected}")
  message(FATAL_ERROR "${SOURCE} failed for another reason than: ${expected}\n${output}")
endif()
string(REGEX MATCHALL "\n" line_ends "${output}")
list(LENGTH line_ends lines)
if(ID STREQUAL "GNU" AND lines GREATER max_lines)
  message(FATAL_ERROR "${SOURCE}: g++ needs ${lines} lines for one mistake, more than ${max_lines}:\n${output}")
endif()
message(STATUS "${lines} lines:\n${output}")
