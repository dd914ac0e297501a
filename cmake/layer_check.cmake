# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D ROOT=<repository> -P layer_check.cmake
# The layers of docs/architecture.md, checked on the #include lines. A folder includes itself and what is named here;
# what a folder comes to need is written here first. error.hpp may be included everywhere, the umbrellas nowhere.
cmake_minimum_required(VERSION 3.25)

# Device layer: what a thread runs. core/standard.hpp alone includes standard headers, those that a compiler at run time
# has, too.
set(device_layer core op program random dpp backend/cuda/kernels)
set(may_include_core "")
set(may_include_op core)
set(may_include_program core op)
set(may_include_random core) # random/ draws words and laws; sources like those of program/, which does not know them
set(may_include_dpp core op program)
# Host layer: descriptions, storage, and what turns them into launches. None of it knows a backend but by its interface.
set(may_include_expr core op program random)
set(may_include_observe core op program)
set(may_include_array core op program expr observe)
set(may_include_plan core op program dpp expr array)
set(may_include_backend core op program dpp plan)
# Files of the library's own, in src alone.
set(may_include_disk core)
set(may_include_evaluate core op program dpp expr array plan backend observe disk)
set(may_include_io core op program dpp expr array plan backend evaluate observe)
# Linear algebra and Fourier transforms, by what the backends define: headers beside the umbrella.
set(may_include_linalg core op program dpp expr array plan backend evaluate observe)
set(may_include_fft ${may_include_linalg})
# Sorting, by the backends too, and likewise beside it.
# Selections, scatters and histograms: the same.
set(may_include_selection core op program dpp expr array plan backend evaluate observe)
# Batches, packs and repetition: the same.
set(may_include_batch core op program dpp expr array plan backend evaluate observe)
set(may_include_sort core op program dpp expr array plan backend evaluate observe)
# Graphs that are launched often, likewise beside it.
set(may_include_record core op program dpp expr array plan backend evaluate observe)
# Exchange with other libraries, in headers that no umbrella includes.
set(may_include_interop core op program dpp expr array plan backend evaluate observe)
set(may_include_interop/cuda ${may_include_interop} interop backend/cuda/runtime)
# Backends: the only code that launches, and backend/cuda the only one that sees CUDA. Of linalg they define
# and of selection libraries.hpp, of fft transforms.hpp, of sort keys.hpp, of record executor.hpp.
set(may_include_backend/host core op program dpp array plan backend observe linalg fft sort selection)
# Kernels are device layer: what a compiler at run time can read as well. What is launched is decided in launch/.
set(may_include_backend/cuda/kernels core op program random dpp)
# What nvcc compiles of the library itself knows nothing of it but numbers.
set(may_include_backend/cuda/compiled core)
set(may_include_backend/cuda/runtime core op program array plan observe linalg fft sort selection batch record backend/cuda/compiled)
set(may_include_backend/cuda/launch ${may_include_backend/cuda/kernels} ${may_include_backend/cuda/runtime} backend
    backend/cuda/kernels backend/cuda/runtime)
set(may_include_backend/cuda/jit ${may_include_backend/cuda/launch} backend/cuda/launch random disk)
set(may_include_backend/cuda ${may_include_backend/cuda/launch} backend/cuda/launch)

# What these declare has a namespace of its own; what users write is in lazyfuse.
set(namespace_of_program ir)
set(namespace_of_plan planning)

set(max_header_lines 300) # op/ holds catalogues, which may be longer
set(spdx "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")

set(mistakes)
function(mistake text)
  list(APPEND mistakes "${text}")
  set(mistakes "${mistakes}" PARENT_SCOPE)
endfunction()

# What plans and runs kernels knows operations by what they say of themselves, and names none.
set(names_no_operation "^(plan|dpp|evaluate|backend)(/|$)")
function(check_names file name layer)
  if(layer MATCHES "${names_no_operation}")
    file(STRINGS ${file} named REGEX "(^|[^A-Za-z0-9_])op::[a-z]")
    if(named)
      mistake("${name}: ${layer} names an operation: ${named}")
      set(mistakes "${mistakes}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

function(check_namespace file name layer)
  if(DEFINED namespace_of_${layer})
    file(STRINGS ${file} opened REGEX "^namespace lazyfuse")
    list(FILTER opened EXCLUDE REGEX "^namespace lazyfuse::${namespace_of_${layer}}( |::)")
    if(opened)
      mistake("${name}: what ${layer} declares is in lazyfuse::${namespace_of_${layer}}: ${opened}")
      set(mistakes "${mistakes}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# "core/index.hpp" -> core, "backend/cuda/stream.hpp" -> backend/cuda, "error.hpp" -> nothing
function(layer_of path result)
  cmake_path(GET path PARENT_PATH folder)
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE headers RELATIVE ${ROOT}/include/lazyfuse ${ROOT}/include/lazyfuse/*.hpp ${ROOT}/include/lazyfuse/*.cuh)
foreach(header IN LISTS headers)
  set(file ${ROOT}/include/lazyfuse/${header})
  layer_of(${header} layer)
  set(umbrella OFF)
  if(header MATCHES "^(lazyfuse\\.hpp|linalg\\.hpp|fft\\.hpp|sort\\.hpp|select\\.hpp|batch\\.hpp|graph\\.hpp|cuda\\.hpp|cuda\\.cuh)$")
    set(umbrella ON)
  elseif(NOT layer STREQUAL "" AND NOT DEFINED may_include_${layer})
    mistake("${header}: the folder ${layer} is in no layer")
  endif()

  file(STRINGS ${file} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS includes)
    if(NOT line MATCHES "include[ \t]*<([^>]+)>")
      mistake("${header}: includes are written <...>: ${line}")
      continue()
    endif()
    set(included ${CMAKE_MATCH_1})
    if(included MATCHES "^lazyfuse/(.+)$")
      layer_of(${CMAKE_MATCH_1} other)
      if(included MATCHES "^lazyfuse/(lazyfuse\\.hpp|linalg\\.hpp|fft\\.hpp|sort\\.hpp|select\\.hpp|batch\\.hpp|graph\\.hpp|cuda\\.hpp|cuda\\.cuh)$" AND NOT header MATCHES "^(cuda|linalg|fft|graph|select|sort|batch)\\.")
        mistake("${header}: includes an umbrella")
      elseif(umbrella AND other STREQUAL "interop")
        mistake("${header}: ${included} is for those who ask for it")
      elseif(NOT umbrella AND NOT other STREQUAL "" AND NOT other STREQUAL layer AND NOT other IN_LIST may_include_${layer})
        mistake("${header}: ${layer} may not include ${included}")
      endif()
    elseif(layer IN_LIST device_layer AND NOT header STREQUAL "core/standard.hpp")
      mistake("${header}: the device layer has standard headers from core/standard.hpp alone, not ${included}")
    elseif(included MATCHES "^(cub/|thrust/|cuda_|cooperative_groups)" AND NOT layer MATCHES "^backend/cuda")
      mistake("${header}: only backend/cuda may include ${included}")
    elseif(included MATCHES "^range/")
      mistake("${header}: range-v3 is for tests")
    endif()
  endforeach()

  check_names(${file} ${header} "${layer}")
  check_namespace(${file} ${header} "${layer}")
  file(READ ${file} text)
  string(REGEX REPLACE "[^\n]+" "" line_ends "${text}")
  string(LENGTH "${line_ends}" length)
  if(length GREATER max_header_lines AND NOT layer STREQUAL "op")
    mistake("${header}: ${length} lines, more than ${max_header_lines}")
  endif()
  file(STRINGS ${file} launches REGEX "<<<")
  if(launches AND NOT layer MATCHES "^backend/cuda")
    mistake("${header}: only backend/cuda launches kernels")
  endif()
  if(umbrella)
    file(STRINGS ${file} code REGEX "^[ \t]*[^ \t/#]")
    if(code)
      mistake("${header}: an umbrella holds nothing but includes: ${code}")
    endif()
  endif()
endforeach()

# The compiled part mirrors the headers, folder by folder, and may include what these may. Headers of its own are written
# "folder/name.hpp".
file(GLOB_RECURSE sources RELATIVE ${ROOT}/src ${ROOT}/src/*)
foreach(source IN LISTS sources)
  layer_of(${source} layer)
  if(NOT DEFINED may_include_${layer})
    mistake("src/${source}: the folder ${layer} is in no layer")
  endif()
  check_names(${ROOT}/src/${source} src/${source} "${layer}")
  check_namespace(${ROOT}/src/${source} src/${source} "${layer}")
  file(STRINGS ${ROOT}/src/${source} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS includes)
    if(line MATCHES "include[ \t]*(<lazyfuse/|\")([^>\"]+)[>\"]")
      set(included ${CMAKE_MATCH_2})
      layer_of(${included} other)
      if(NOT other STREQUAL "" AND NOT other STREQUAL layer AND NOT other IN_LIST may_include_${layer})
        mistake("src/${source}: ${layer} may not include ${included}")
      endif()
    elseif(line MATCHES "<(cub/|thrust/|cuda_)" AND NOT layer MATCHES "^backend/cuda")
      mistake("src/${source}: only backend/cuda may use CUDA: ${line}")
    endif()
  endforeach()
endforeach()

# Every file of ours names its licence.
foreach(folder include src test bench docs cmake)
  file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${folder}/*.hpp ${ROOT}/${folder}/*.cuh ${ROOT}/${folder}/*.cpp
       ${ROOT}/${folder}/*.cu ${ROOT}/${folder}/*.cmake ${ROOT}/${folder}/*.in ${ROOT}/${folder}/*.py ${ROOT}/${folder}/CMakeLists.txt)
  foreach(source IN LISTS sources)
    file(STRINGS ${ROOT}/${source} line REGEX "${spdx}" LIMIT_COUNT 1)
    if(NOT line)
      mistake("${source}: no line ${spdx}")
    endif()
  endforeach()
endforeach()

list(LENGTH headers count)
if(mistakes)
  list(JOIN mistakes "\n  " text)
  message(FATAL_ERROR "layers:\n  ${text}")
endif()
message(STATUS "${count} headers, every #include within its layer")
