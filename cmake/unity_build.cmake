# Compiles several sources at once in every target (CMake's UNITY_BUILD): less than half of the time.
# cmake/unity_groups.py says which of them can go together; it is asked when CMake configures, so if two have since come
# to define the same name, configuring again parts them. Included last, when all targets are known.

# Of GCC's warnings some are wrong here: a source that another includes is taken for a header, in which a class must not
# have members of unnamed namespaces; and with more inlined than elsewhere, LLVM's own operators new and delete do not
# seem to fit, nor the bytes that std::string holds itself.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(unity_options -Wno-array-bounds -Wno-mismatched-new-delete -Wno-stringop-overflow
      -Wno-subobject-linkage)
endif()

find_package(Python3 REQUIRED COMPONENTS Interpreter)

# acceld_describe_targets(FOLDER RESULT): lines of "folder;target;source..." for the targets of this folder and of those
# below it, with the C++ sources that are in the repository and have no options of their own.
function(acceld_describe_targets folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(lines "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(sources ${target} SOURCES)
    if(NOT type MATCHES "LIBRARY|EXECUTABLE" OR NOT sources)
      continue()
    endif()
    set(line ${folder} ${target})
    foreach(source IN LISTS sources)
      if(NOT source MATCHES "\\.cc$" OR source MATCHES "\\$<")
        continue()
      endif()
      get_property(options SOURCE ${source} DIRECTORY ${folder} PROPERTY COMPILE_OPTIONS)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} NORMALIZE)
      cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${source} is_generated)
      if(NOT options AND NOT is_generated)
        list(APPEND line ${source})
      endif()
    endforeach()
    target_compile_options(${target} PRIVATE ${unity_options})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    string(APPEND lines "${line}\n")
  endforeach()
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    acceld_describe_targets(${subfolder} below)
    string(APPEND lines "${below}")
  endforeach()
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/unity_groups.py)
acceld_describe_targets(${PROJECT_SOURCE_DIR} targets)
file(WRITE ${CMAKE_BINARY_DIR}/unity_targets.txt "${targets}")
execute_process(
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/unity_groups.py
    ${CMAKE_BINARY_DIR}/unity_targets.txt ${CMAKE_BINARY_DIR}/unity_groups.cmake
  COMMAND_ERROR_IS_FATAL ANY)
include(${CMAKE_BINARY_DIR}/unity_groups.cmake)
