"""Plants includes in a small tree and expects scripts/check_layering.py to accept or refuse each."""
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "check_layering.py"


def run(root):
    return subprocess.run([sys.executable, SCRIPT, root], capture_output=True, text=True)


def plant(root, path, *lines):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")


@pytest.fixture
def tree(tmp_path):
    plant(tmp_path, "src/selkie/core/error.h", "#pragma once", "#include <string>")
    return tmp_path


WRONG = [
    # (file, include, part of the reason)
    ("src/selkie/core/a.cpp", '"selkie/math/types.h"', "core may not depend on math"),
    ("src/selkie/math/a.h", '"selkie/dist/comm.h"', "math may not depend on dist"),
    ("src/selkie/linalg/a.h", '"selkie/geometry/mesh.h"', "linalg may not depend on geometry"),
    ("src/selkie/geometry/a.h", '"selkie/ports/time.h"', "geometry may not depend on ports"),
    ("src/selkie/ports/a.h", '"selkie/io/ply.h"', "ports may not depend on io"),
    ("src/selkie/io/a.cpp", '"selkie/solids/cloth/step.h"', "io may not depend on solids/cloth"),
    ("src/selkie/solids/cloth/a.cpp", '"selkie/io/ply.h"', "solids/cloth may not depend on io"),
    ("src/selkie/solids/cloth/a.cpp", '"selkie/solids/hair/step.h"', "never include one another"),
    ("src/selkie/fluids/smoke/a.cpp", '"selkie/shallow/surface/step.h"', "never include one another"),
    ("src/selkie/fluids/smoke/a.cpp", '"selkie/sim/world.h"', "may not depend on sim"),
    ("src/selkie/coupling/a.cpp", '"selkie/fluids/liquid/step.h"', "never a solver"),
    ("src/selkie/coupling/a.cpp", '"selkie/sim/world.h"', "coupling may not depend on sim"),
    ("src/selkie/coupling/a.cpp", '"selkie/io/ply.h"', "coupling may not depend on io"),
    ("src/selkie/sim/a.cpp", '"selkie/scene/parser.h"', "sim may not depend on scene"),
    ("src/selkie/scene/a.cpp", '"selkie/studies/table.h"', "scene may not depend on studies"),
    ("src/selkie/grid/a.cpp", '"selkie/linalg/detail/row.h"', "private to linalg"),
    ("src/selkie/sim/a.cpp", '"selkie/solids/cloth/detail/bend.h"', "private to solids/cloth"),
    ("apps/cli/main.cpp", '"selkie/scene/detail/token.h"', "private to scene"),
    ("src/selkie/core/a.h", "<spdlog/spdlog.h>", "stays out of headers"),
    ("src/selkie/io/a.h", "<openvdb/openvdb.h>", "stays out of headers"),
    ("src/selkie/dist/a.h", "<mpi.h>", "stays out of headers"),
    ("src/selkie/linalg/a.cpp", "<mpi.h>", "only dist includes mpi.h"),
    ("src/selkie/linalg/a.cpp", '"mpi.h"', "only dist includes mpi.h"),
    ("apps/cli/main.cpp", "<mpi.h>", "only dist includes mpi.h"),
    ("src/selkie/math/a.cpp", '"types.h"', 'write "selkie/module/file.h"'),
    ("src/selkie/math/a.cpp", '"selkie/nowhere/a.h"', "no known module"),
    ("src/selkie/math/a.cpp", '<selkie/sim/world.h>', "math may not depend on sim"),
]


@pytest.mark.parametrize("path, include, reason", WRONG)
def test_a_wrong_include_is_refused_with_its_place_and_reason(tree, path, include, reason):
    plant(tree, path, "// head", "", f"#include {include}")
    result = run(tree)
    assert result.returncode == 1
    assert f"{path}:3: " in result.stdout
    assert reason in result.stdout


RIGHT = [
    ("src/selkie/math/a.h", '"selkie/core/error.h"'),
    ("src/selkie/linalg/a.cpp", '"selkie/dist/comm.h"'),
    ("src/selkie/linalg/a.cpp", '"selkie/linalg/detail/row.h"'),
    ("src/selkie/solids/cloth/a.cpp", '"selkie/solids/cloth/detail/bend.h"'),
    ("src/selkie/solids/cloth/a.cpp", '"selkie/contact/set.h"'),
    ("src/selkie/coupling/a.cpp", '"selkie/ports/surface.h"'),
    ("src/selkie/coupling/a.cpp", '"selkie/linalg/pcg.h"'),
    ("src/selkie/sim/a.cpp", '"selkie/fluids/smoke/step.h"'),
    ("src/selkie/sim/a.cpp", '"selkie/io/ply.h"'),
    ("src/selkie/studies/a.cpp", '"selkie/solids/cloth/step.h"'),
    ("src/selkie/core/a.h", "<Eigen/Core>"),
    ("src/selkie/core/a.h", "<tbb/parallel_for.h>"),
    ("src/selkie/core/a.h", "<vector>"),
    ("src/selkie/core/a.cpp", "<spdlog/spdlog.h>"),
    ("src/selkie/dist/a.cpp", "<mpi.h>"),
    ("apps/cli/options.h", "<CLI/CLI.hpp>"),
    ("apps/cli/main.cpp", '"options.h"'),
    ("python/world.cpp", '"selkie/sim/world.h"'),
]


@pytest.mark.parametrize("path, include", RIGHT)
def test_a_right_include_passes(tree, path, include):
    plant(tree, path, f"#include {include}")
    result = run(tree)
    assert result.returncode == 0, result.stdout


def test_includes_in_comments_do_not_count(tree):
    plant(tree, "src/selkie/core/a.h", '// #include "selkie/sim/world.h"', "/*", '#include "selkie/sim/world.h"', "*/")
    assert run(tree).returncode == 0


def test_lines_are_counted_through_block_comments(tree):
    plant(tree, "src/selkie/core/a.h", "/* one", "two", "*/", '#  include "selkie/sim/world.h"')
    assert "src/selkie/core/a.h:4: " in run(tree).stdout


def test_every_wrong_include_is_listed(tree):
    plant(tree, "src/selkie/core/a.h", '#include "selkie/sim/world.h"', '#include "selkie/io/ply.h"')
    assert "2 wrong include(s)" in run(tree).stdout


def test_a_file_outside_every_module_is_refused(tree):
    plant(tree, "src/selkie/misc/a.cpp", "#include <string>")
    plant(tree, "src/selkie/solids/a.cpp", "#include <string>")
    result = run(tree)
    assert "src/selkie/misc/a.cpp:1: in no known module" in result.stdout
    assert "src/selkie/solids/a.cpp:1: in no known module" in result.stdout


def test_a_folder_that_is_not_the_project_is_refused(tmp_path):
    assert run(tmp_path).returncode == 2
