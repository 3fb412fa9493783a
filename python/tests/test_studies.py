"""The studies of `selkie verify`, from Python."""
import pytest

import selkie


@pytest.fixture(scope="module")
def integrators():
    return selkie.verify("integrators")


def test_a_study_returns_its_tables_with_a_verdict_per_row(integrators):
    assert integrators.name == "integrators" and integrators.about == selkie.studies()["integrators"]
    assert integrators.passed is True and integrators.tables
    for table in integrators.tables:
        assert table.title and table.rows and table.passed is True
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert table.row_passed == [True] * len(table.rows)
        assert all(isinstance(cell, str) for row in table.rows for cell in row)


def test_the_text_of_a_study_is_that_of_the_command_line(integrators):
    lines = str(integrators).splitlines()
    assert lines[0] == f"integrators: {integrators.about}"
    assert lines[-1] == "integrators: passed"
    assert str(integrators.tables[0]) in str(integrators)
    assert "passed" in repr(integrators) and "rows" in repr(integrators.tables[0])


def test_integrators_is_the_first_study_and_every_study_says_what_it_is():
    assert next(iter(selkie.studies())) == "integrators"
    assert all(selkie.studies().values())


def test_an_unknown_study_is_refused_with_the_nearest_name():
    with pytest.raises(selkie.InputError) as caught:
        selkie.verify("integrator")
    assert caught.value.problem == "there is no study called 'integrator'"
    assert caught.value.remedy.startswith("did you mean 'integrators'? Known: ")
