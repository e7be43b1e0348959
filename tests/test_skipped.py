"""A test that any run has run is not skipped."""

from pathlib import Path

from tests import skipped

RUN = """<testsuites><testsuite>
<testcase classname="a" name="one"/>
<testcase classname="a" name="two"><skipped message="no GPU"/></testcase>
<testcase classname="a" name="three"><skipped message="onnx is not installed"/></testcase>
</testsuite></testsuites>"""
LATER = '<testsuite><testcase classname="a" name="three"><failure/></testcase></testsuite>'


def test_a_test_that_a_later_run_has_run_is_not_skipped(tmp_path: Path) -> None:
    (tmp_path / "quick.xml").write_text(RUN)
    (tmp_path / "compilers.xml").write_text(LATER)
    both = [tmp_path / "quick.xml", tmp_path / "compilers.xml"]
    assert skipped.never_ran(both[:1]) == {
        "a::two": "no GPU",
        "a::three": "onnx is not installed",
    }
    assert skipped.never_ran(both) == {"a::two": "no GPU"}
