// The library is made of static ones (CMakeLists.txt); a target needs a source of its own.
