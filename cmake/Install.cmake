# `cmake --install` puts the program, the libraries, the headers and a package file that find_package reads.
