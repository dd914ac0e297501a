# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a source costs a compiler, counted instead of timed: fails when clang instantiates more templates for SOURCE than
# its line "// instantiations: N" allows. What a new function of the library costs every user shows here first.
#   cmake -D COMPILER=clang++ -D SOURCE=... -D INCLUDES=... -D SYSTEM_INCLUDES=... -D FOLDER=... -P instantiation_check.cmake
file(STRINGS ${SOURCE} budget REGEX "^// instantiations: [0-9]+$" LIMIT_COUNT 1)
string(REGEX REPLACE "^// instantiations: " "" budget "${budget}")

set(flags)
foreach(include IN LISTS INCLUDES)
  list(APPEND flags -I ${include})
endforeach()
foreach(include IN LISTS SYSTEM_INCLUDES)
  list(APPEND flags -isystem ${include})
endforeach()
cmake_path(GET SOURCE STEM name)
execute_process(COMMAND ${COMPILER} -std=c++20 ${flags} -ftime-trace -ftime-trace-granularity=0 -c ${SOURCE} -o ${FOLDER}/${name}.o
                COMMAND_ERROR_IS_FATAL ANY)

file(READ ${FOLDER}/${name}.json trace)
set(event "\"name\":\"Instantiate") # Class or Function
string(LENGTH "${trace}" before)
string(REPLACE "${event}" "" trace "${trace}")
string(LENGTH "${trace}" after)
string(LENGTH "${event}" each)
math(EXPR count "(${before} - ${after}) / ${each}")
file(REMOVE ${FOLDER}/${name}.json ${FOLDER}/${name}.o)

if(count GREATER budget)
  message(FATAL_ERROR "${name}.cpp instantiates ${count} templates, ${budget} are allowed: find what was added "
                      "(clang++ -ftime-trace), or say in the commit why it is worth that and raise the number in ${SOURCE}")
endif()
if(count EQUAL 0)
  message(FATAL_ERROR "no instantiation was counted: ${COMPILER} writes another trace")
endif()
message(STATUS "${name}.cpp instantiates ${count} templates, ${budget} are allowed")
