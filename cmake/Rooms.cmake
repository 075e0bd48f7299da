# A room is a top-level folder built as a static library `ff_<room>`. A room sees only the headers of the
# rooms it may depend on: each room's include path is a folder that holds a link to that room alone, so
# an #include against the arrows does not compile.

# room -> rooms it may name directly (those come with what they see themselves).
set(FIRSTFAULT_ARROWS_base "")
set(FIRSTFAULT_ARROWS_model base)
set(FIRSTFAULT_ARROWS_parser model)
set(FIRSTFAULT_ARROWS_rules model parser)  # implements parser/match/line_matcher.h
set(FIRSTFAULT_ARROWS_timeline model)
set(FIRSTFAULT_ARROWS_diagnosis timeline rules)
set(FIRSTFAULT_ARROWS_report model)
set(FIRSTFAULT_ARROWS_history report)
set(FIRSTFAULT_ARROWS_replay model)
set(FIRSTFAULT_ARROWS_cli parser rules timeline diagnosis report history replay)

add_library(ff_flags INTERFACE)
target_compile_options(ff_flags INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # Its -Wrestrict misfires on std::string concatenation (GCC bug 105651, versions 12 and 13).
  target_compile_options(ff_flags INTERFACE -Wno-restrict)
endif()
if(FIRSTFAULT_WERROR)
  target_compile_options(ff_flags INTERFACE -Werror)
endif()
if(FIRSTFAULT_SANITIZE)
  target_compile_options(ff_flags INTERFACE -fsanitize=${FIRSTFAULT_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
  target_link_options(ff_flags INTERFACE -fsanitize=${FIRSTFAULT_SANITIZE})
endif()
if(FIRSTFAULT_STATIC)
  target_link_options(ff_flags INTERFACE -static-libstdc++ -static-libgcc)
endif()

# firstfault_room(NAME SOURCES a.cpp ... ROOMS other ... LIBRARIES lib ...)
function(firstfault_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  foreach(dep IN LISTS ROOM_ROOMS)
    if(NOT dep IN_LIST FIRSTFAULT_ARROWS_${name})
      message(FATAL_ERROR "room ${name} may not depend on room ${dep}: see cmake/Rooms.cmake")
    endif()
  endforeach()
  set(view ${PROJECT_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${view}/${name} SYMBOLIC)
  add_library(ff_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(ff_${name} PUBLIC ${view})
  target_link_libraries(ff_${name} PUBLIC ff_flags PRIVATE ${ROOM_LIBRARIES})
  foreach(dep IN LISTS ROOM_ROOMS)
    target_link_libraries(ff_${name} PUBLIC ff_${dep})
  endforeach()
endfunction()
