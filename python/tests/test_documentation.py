"""What a person reads: help(), the guide's examples, the type stubs."""
import ast
import inspect
import os
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import selkie

GUIDE = Path(os.environ["SELKIE_SOURCE_DIR"]) / "docs" / "python.md"
PACKAGE = Path(selkie.__file__).parent
MODULES = {"__init__": selkie,
           **{name: thing for name, thing in vars(selkie).items()
              if inspect.ismodule(thing) and not name.startswith("_")}}


def blocks():
    return dict(re.findall(r"```python (\w+)\n(.*?)```", GUIDE.read_text(), re.DOTALL))


def test_the_guides_study_has_ten_lines_and_finds_the_orders(capsys):
    code = blocks()["study"]
    assert len(code.strip().splitlines()) <= 10
    names = {}
    exec(code, names)
    # measured 1.0, 2.0 and 4.0 to two digits; 0.1 separates neighbouring orders safely
    assert list(names["orders"].values()) == pytest.approx([1, 2, 4], abs=0.1)
    assert "rk4" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["world", "geometry", "gas", "grid", "verify", "mesh", "springs"])
def test_the_guides_examples_run(name, capsys):
    exec(blocks()[name], {})
    assert capsys.readouterr().out


def test_every_generator_of_a_scenes_meshes_is_in_geometry_its_stub_and_the_guide():
    section = selkie.scene_format().split("## `[[mass_spring]].mesh`\n")[1].split("\n## ")[0]
    generators = set(re.findall(r"^\| `(\w+)` \| table \|", section, re.MULTILINE)) - {"tetrahedra"}
    assert {"sheet", "tet_box", "tet_torus", "chain"} <= generators
    stub = (PACKAGE / "geometry.pyi").read_text()
    guide = re.search(r"^`selkie.geometry` makes meshes .*?;", GUIDE.read_text(), re.MULTILINE)[0]
    for name in generators:
        positions, elements = getattr(selkie.geometry, name)()
        assert elements.max() == len(positions) - 1, name
        assert f"def {name}(" in stub and f"`{name}`" in guide, name


def test_help_of_a_system_lists_its_arrays_and_parameters_with_units(world):
    text = pydoc.render_doc(world["cloth"], renderer=pydoc.plaintext)
    assert "Vertex positions [m; f64 (49, 3)]" in text
    assert re.search(r"stiffness +Spring constant.*\[N/m; number, >= 0\]", text)
    assert re.search(r"stiffness += 500.0", world["cloth"].describe())
    assert {"positions", "stiffness", "describe"} <= set(dir(world["cloth"]))


def test_everything_public_has_a_docstring_that_speaks_of_selkie_not_of_its_inside():
    for module in MODULES.values():
        assert module.__doc__
        for name, thing in public(module):
            assert inspect.getdoc(thing), f"{module.__name__}.{name}"
            assert thing.__module__ == module.__name__
            for member in vars(thing) if inspect.isclass(thing) else []:
                if not member.startswith("_") and not issubclass(thing, Exception):
                    assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"


def public(module):
    return [(name, thing) for name, thing in vars(module).items()
            if not name.startswith("_") and not inspect.ismodule(thing)]


def stub_names(path):
    """Top-level names of a stub, and the member names of its classes."""
    names = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            names[node.name] = {a.arg for a in node.args.args + node.args.kwonlyargs}
        elif isinstance(node, ast.ClassDef):
            names[node.name] = {item.name if isinstance(item, ast.FunctionDef) else item.target.id
                                for item in node.body if isinstance(item, (ast.FunctionDef, ast.AnnAssign))}
    return names


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_type_stub(name):
    stubs = stub_names(PACKAGE / f"{name}.pyi")
    things = dict(public(MODULES[name]))
    assert set(stubs) == set(things)
    for key, thing in things.items():
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            members = {m for m in vars(thing) if not m.startswith("_")}
            assert members <= stubs[key], f"{key}: {members - stubs[key]}"


def test_the_packages_stub_names_its_modules_and_exports_what_the_package_does():
    body = ast.parse((PACKAGE / "__init__.pyi").read_text()).body
    imported = {alias.asname for node in body if isinstance(node, ast.ImportFrom) and node.level == 1
                for alias in node.names}
    assert imported == set(MODULES) - {"__init__"}
    (exported,) = [ast.literal_eval(node.value) for node in body
                   if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"]
    assert exported == selkie.__all__
    assert set(exported) == {name for name, _ in public(selkie)} | imported


def test_the_stubs_of_params_and_state_name_every_described_member():
    stubs = stub_names(PACKAGE / "mass_spring.pyi")
    assert set(selkie.mass_spring.Params().to_dict()) <= stubs["Params"]
    model = selkie.mass_spring.build_model([[0, 0, 0]], [], [1])
    state = selkie.mass_spring.State(model, [[0, 0, 0]])
    described = set(dir(state)) - set(dir(selkie.mass_spring.State))
    assert described and described <= stubs["State"]
    for name in ["shallow_water", "surface_water"]:
        assert set(getattr(selkie, name).Params().to_dict()) <= stub_names(PACKAGE / f"{name}.pyi")["Params"]
    water = selkie.surface_water
    state = water.State(water.build_model(*selkie.geometry.icosphere(radius=1, divisions=1)), 0.2)
    described = set(dir(state)) - set(dir(water.State))
    assert described and described <= stub_names(PACKAGE / "surface_water.pyi")["State"]


def test_the_fuzzers_dictionary_knows_every_kind_of_table():
    tokens = (GUIDE.parents[1] / "tests" / "fuzz" / "scene.dict").read_text().splitlines()
    for kind in selkie.info()["tables"]:
        assert f'"[{kind}]"' in tokens or f'"[[{kind}]]"' in tokens, kind


def test_the_package_imports_alone_and_says_what_it_is():
    code = "import selkie.mass_spring as ms, selkie; print(selkie.__version__, ms.Params().stiffness)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == [selkie.info()["version"], "1000.0"]
    assert selkie.info()["threads"] >= 1 and "mass_spring" in selkie.info()["tables"]
    assert "stiffness" in selkie.scene_format()
