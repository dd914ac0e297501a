# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Several sources as one, since most of a compiler's time goes into the headers: what they include comes first, then each
# source in a namespace of its own.
#   cmake -D "SOURCES=a.cpp;b.cpp" -D OUTPUT=together.cpp [-D FIRST=header.hpp] [-D NAMESPACES=OFF] -P together.cmake
# FIRST is included before all else.
# Or, for other scripts: together(text a.cpp b.cpp)
function(together text)
  set(headers)
  set(parts)
  foreach(source IN LISTS ARGN)
    set(part "#include \"${source}\"\n")
    if(NOT DEFINED NAMESPACES OR NAMESPACES)
      file(STRINGS ${source} included REGEX "^#include [<\"]")
      list(APPEND headers ${included})
      cmake_path(GET source STEM stem)
      set(part "namespace ${stem}_ {\n${part}}\n")
    endif()
    string(APPEND parts "${part}")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  set(${text} "${headers}\n${parts}" PARENT_SCOPE)
endfunction()

if(OUTPUT)
  together(text ${SOURCES})
  if(FIRST)
    string(PREPEND text "#include <${FIRST}>\n")
  endif()
  file(WRITE ${OUTPUT} "${text}")
endif()
