# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUT, a source with the texts of the headers of device code below ROOT: what kernels that are made at run time
# include, and which of them has each operation.
cmake_minimum_required(VERSION 3.25)

set(waiting lazyfuse/core/vec.hpp lazyfuse/op/components.hpp lazyfuse/op/reduction.hpp lazyfuse/op/registry.hpp lazyfuse/op/statistics.hpp
    lazyfuse/program/batched.hpp lazyfuse/program/folded.hpp lazyfuse/program/iterated.hpp lazyfuse/program/remapped.hpp lazyfuse/program/table.hpp lazyfuse/program/windowed.hpp lazyfuse/random/distributions.hpp)
file(GLOB kernels RELATIVE ${ROOT} ${ROOT}/lazyfuse/backend/cuda/kernels/*)
list(APPEND waiting ${kernels})
set(headers "")
while(waiting)
  list(POP_FRONT waiting header)
  if(NOT header IN_LIST headers)
    list(APPEND headers ${header})
    file(STRINGS ${ROOT}/${header} includes REGEX "^#include <lazyfuse/")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE "#include <(.+)>.*" "\\1" included "${line}")
      list(APPEND waiting ${included})
    endforeach()
  endif()
endwhile()
list(SORT headers)

set(text "// Written by cmake/carried_headers.cmake.\n#include \"backend/cuda/jit/compiler.hpp\"\n\n")
string(APPEND text "namespace lazyfuse::cuda_detail {\n\nconst carried_header carried_headers[] = {\n")
set(operations "")
# The compiler makes variables of the GPU of static members: what tables and tests say of operations, which kernels do
# not read, is left out, and numbers become enumerators.
set(quoted "const char\\* (name|symbol|numpy|difference) =(([ \n]*\"[^\"]*\")+| [^\";]+)")
set(numbers "int (ulp|complex_ulp|ulp_of_one) = [0-9]+")
set(domain "interval domain ?=?[^;]*")
foreach(header IN LISTS headers)
  file(READ ${ROOT}/${header} lines)
  string(REGEX REPLACE "\n *//[^\n]*" "\n" lines "${lines}") # comments are for people
  string(REGEX REPLACE " +//[^\n\"]*\n" "\n" lines "${lines}")
  string(REGEX REPLACE "\n *static constexpr (${quoted}|${numbers}|${domain});[^\n]*" "" lines "${lines}")
  string(REGEX REPLACE "(>\n *)(static|inline) constexpr int " "\\1\\2 constexpr signed " lines "${lines}") # of templates
  string(REGEX REPLACE "(static|inline) constexpr int ([a-z_]+ = ([^;{]|{})*);" "enum : int { \\2 };" lines "${lines}")
  if(header STREQUAL "lazyfuse/core/types.hpp") # sources include what they have of these (src/backend/cuda/jit/source.cpp)
    string(REPLACE "#include <lazyfuse/core/complex.hpp>\n#include <lazyfuse/core/half.hpp>\n" "" lines "${lines}")
    string(REPLACE "\nnamespace lazyfuse {\n"
           "\nnamespace lazyfuse {\ntemplate <class T>\nstruct complex;\nstruct half;\nstruct bfloat16;\n" lines "${lines}")
  endif()
  if(header MATCHES "^lazyfuse/op/") # what users call makes expressions by rules, of which a kernel has none
    string(REGEX REPLACE "\n *using rule = rules::[a-z_]+;" "" lines "${lines}")
    if(NOT lines MATCHES "common_t<")
      string(REPLACE "#include <lazyfuse/op/rule.hpp>" "#include <lazyfuse/op/operation.hpp>" lines "${lines}")
    endif()
    string(REGEX REPLACE "\ntemplate <[^\n]*>\n  requires operands<[^\n]*>\nconstexpr auto [^\n]*{ return [^\n]*}" ""
           lines "${lines}")
    string(REGEX MATCHALL "\nstruct [a-z_0-9]+ [:{]" found "${lines}")
    foreach(name IN LISTS found)
      string(REGEX REPLACE "\nstruct ([a-z_0-9]+) [:{]" "\\1" name "${name}")
      string(APPEND operations "    {\"op::${name}\", \"${header}\"},\n")
    endforeach()
  endif()
  string(LENGTH "${lines}" length)
  string(APPEND text "    {\"${header}\",\n")
  foreach(at RANGE 0 ${length} 12000) # literals have a limit, their sum does not
    string(SUBSTRING "${lines}" ${at} 12000 piece)
    string(APPEND text "R\"lazyfuse(${piece})lazyfuse\"\n")
  endforeach()
  string(APPEND text "},\n")
endforeach()
list(LENGTH headers count)
string(APPEND text "};\nconst int carried_header_count = ${count};\n\n")
string(APPEND text "const std::map<std::string_view, std::string_view> headers_of_operations{\n${operations}};\n\n")
string(APPEND text "}  // namespace lazyfuse::cuda_detail\n")
file(WRITE ${OUT} "${text}")
