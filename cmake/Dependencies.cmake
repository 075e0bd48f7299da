# Libraries of the distribution. Nothing is downloaded.
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(LibArchive REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)

# Optional: Vectorscan or Hyperscan. Without it the scanner uses its own automaton.
option(FIRSTFAULT_HS "Use libhs (Vectorscan, Hyperscan) when it is installed" ON)
if(FIRSTFAULT_HS)
  pkg_check_modules(HS IMPORTED_TARGET libhs)
endif()
