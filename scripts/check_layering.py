#!/usr/bin/python3
"""Checks every #include below src/, apps/ and python/ against the order of the modules (docs/architecture.md).

    core -> math, dist -> linalg, geometry -> grid -> contact -> ports -> io;  io -> render -> apps
    ports -> solids | fluids | shallow;  ports -> coupling;  all of these -> sim -> scene -> studies, view -> apps;  studies -> python

Right may include left, never the reverse. Prints file:line and why; exit code 1 when something is wrong.
Limit: reads the text of the files, so an #include that the preprocessor would skip counts as well.
"""
import argparse
import re
import sys
from pathlib import Path

# Each module with what it may include directly; what those may include is added below.
DIRECT = {
    "core": [],
    "math": ["core"],
    "dist": ["core"],
    "linalg": ["math", "dist"],
    "geometry": ["math", "dist"],
    "grid": ["linalg", "geometry"],
    "contact": ["grid"],
    "ports": ["contact"],
    "io": ["ports"],
    "render": ["io"],
    "solver": ["ports"],
    "coupling": ["ports"],
    "sim": ["io", "solver", "coupling"],
    "scene": ["sim"],
    "studies": ["scene"],
    "view": ["scene"],
    "apps": ["studies", "render", "view"],
    "python": ["studies"],
}
SOLVER_FAMILIES = ("solids", "fluids", "shallow")

STANDARD = set("""
    algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
    clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
    cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream
    functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
    memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
    semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
    strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility
    valarray variant vector version immintrin.h
""".split())
HEADER_FRIENDS = ("Eigen/", "unsupported/Eigen/", "tbb/", "oneapi/tbb/")

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def allowed_layers(layer):
    """The layer itself and everything to its left."""
    found, waiting = set(), [layer]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += DIRECT[current]
    return found


def split_module(parts):
    """Path parts below src/selkie -> (layer, module), for example ("solver", "solids/cloth"); None if unknown."""
    if parts and parts[0] in SOLVER_FAMILIES:
        return ("solver", "/".join(parts[:2])) if len(parts) > 2 else None
    if len(parts) > 1 and parts[0] in DIRECT and parts[0] not in ("solver", "apps", "python"):
        return parts[0], parts[0]
    return None


def check_own_include(layer, module, target):
    """Why a file of `module` may not include "selkie/<target>"; None when it may."""
    parts = target.split("/")
    there = split_module(parts)
    if there is None:
        return f'"selkie/{target}" is in no known module'
    to_layer, to_module = there
    if "detail" in parts[:-1] and to_module != module:
        return f"{'/'.join(parts[:-1])}/ is private to {to_module}"
    if to_module == module:
        return None
    if layer == "solver" and to_layer == "solver":
        return f"solvers never include one another ({module} includes {to_module})"
    if layer == "coupling" and to_layer == "solver":
        return f"a coupling knows ports, never a solver ({to_module})"
    if to_layer not in allowed_layers(layer):
        return f"{module} may not depend on {to_module}"
    return None


def check_foreign_include(layer, is_header, quoted, target):
    if target == "mpi.h" or target.startswith("mpi/"):
        if layer != "dist":
            return "only dist includes mpi.h"
    elif quoted and layer not in ("apps", "python"):
        return f'write "selkie/module/file.h" for our own headers and <{target}> for others'
    if is_header and layer not in ("apps", "python") and not quoted:
        if target not in STANDARD and not target.startswith(HEADER_FRIENDS):
            return f"third-party <{target}> stays out of headers; include it in a .cpp file"
    return None


def check_file(path, layer, module):
    """Yields (line, why) for each wrong include of one file."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text = BLOCK_COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in INCLUDE.finditer(text):
        quoted, target = match.group(1) == '"', match.group(2)
        if target.startswith("selkie/"):
            why = check_own_include(layer, module, target[len("selkie/"):])
        else:
            why = check_foreign_include(layer, path.suffix in (".h", ".hpp"), quoted, target)
        if why:
            yield text.count("\n", 0, match.start()) + 1, why


def source_files(root, folder):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix in (".h", ".hpp", ".cpp", ".cc") and path.is_file():
            yield path


def check_tree(root):
    """A list of "file:line: why"."""
    problems = []
    for path in source_files(root, "src/selkie"):
        where = split_module(path.relative_to(root / "src/selkie").parts)
        if where is None:
            problems.append(f"{path.relative_to(root)}:1: in no known module; name it in scripts/check_layering.py")
            continue
        problems += [f"{path.relative_to(root)}:{line}: {why}" for line, why in check_file(path, *where)]
    for layer in ("apps", "python"):
        for path in source_files(root, layer):
            problems += [f"{path.relative_to(root)}:{line}: {why}" for line, why in check_file(path, layer, layer)]
    return problems


def main():
    parser = argparse.ArgumentParser(description="Checks #includes against the order of the modules.")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    if not (root / "src/selkie").is_dir():
        parser.error(f"{root} holds no src/selkie")
    problems = check_tree(root)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} wrong include(s)" if problems else "every include points the right way")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
