"""The package's questions are valid by the DTD that IMS published with QTI 1.2.1."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from hotloop.learn.bank.catalog import CatalogEntry, catalog
from hotloop.learn.bank.export import qti
from hotloop.learn.bank.wording import Language

PUBLISHED = Path(__file__).parent / "ims_qtiasiv1p2p1.dtd"
CP = "{http://www.imsglobal.org/xsd/imscp_v1p1}"


def _items(package: bytes) -> Any:
    """Return the questions' root element, found through the manifest as an importer does."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        manifest = etree.fromstring(archive.read("imsmanifest.xml"))
        (resource,) = manifest.iter(f"{CP}resource")
        assert resource.get("type") == "imsqti_xmlv1p2"
        (file,) = resource.iter(f"{CP}file")
        assert file.get("href") == resource.get("href")
        return etree.fromstring(archive.read(resource.get("href")))


def _complaints(root: Any) -> Sequence[str]:
    dtd = etree.DTD(str(PUBLISHED))
    return [] if dtd.validate(root) else [str(error) for error in dtd.error_log]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_is_valid(entry: CatalogEntry, language: Language) -> None:
    root = _items(qti.package([entry], language))
    assert _complaints(root) == []
    essay, numbers = root.iter("item")
    assert essay.get("ident") == f"hotloop.bytes_of_a_batch.{language}"
    assert numbers.get("ident") == f"hotloop.bytes_of_a_batch.{language}.numeric"
    assert essay.find("presentation").get("{http://www.w3.org/XML/1998/namespace}lang") == language


def test_an_invalid_one_would_be_found(entry: CatalogEntry) -> None:
    root = _items(qti.package([entry], "en"))
    next(root.iter("item")).append(etree.Element("answer"))
    assert "answer" in "\n".join(_complaints(root))


def test_texts_arrive_as_they_were_written(entry: CatalogEntry) -> None:
    essay = next(_items(qti.package([entry], "en")).iter("item"))
    asked = essay.find("presentation/material/mattext")
    assert asked.get("texttype") == "text/html"
    assert '<code>a-&gt;b</code> &lt;b&gt; &amp; "c"' in asked.text
    assert "mark 4" in essay.find("rubric/material/mattext").text
    (shown,) = essay.iter("displayfeedback")
    (feedback,) = essay.iter("itemfeedback")
    assert shown.get("linkrefid") == feedback.get("ident")
    assert "// not a comment" in feedback.find("flow_mat/material/mattext").text


def test_numbers_are_marked_by_the_system_that_imports_them(entry: CatalogEntry) -> None:
    _, numbers = _items(qti.package([entry], "en")).iter("item")
    right = numbers.find("resprocessing/respcondition/conditionvar/or")
    exact = float(right.findtext("varequal"))
    low, high = (float(right.findtext(f"and/{name}")) for name in ("vargte", "varlte"))
    assert exact in {rows * width * 4 for rows in (8, 16) for width in (1024, 65536)}
    assert (low, high) == pytest.approx((exact * 0.98, exact * 1.02))
    (response,) = numbers.iter("response_str")
    asked = {node.get("respident") for node in right.iter() if node.get("respident")}
    assert asked == {response.get("ident")}


def test_the_same_questions_give_the_same_package(entry: CatalogEntry) -> None:
    assert qti.package([entry], "en") == qti.package([entry], "en")


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_bank_is_valid(language: Language) -> None:
    entries = [entry for entry in catalog() if language in entry.languages]
    root = _items(qti.package(entries, language))
    assert _complaints(root) == []
    identifiers = [item.get("ident") for item in root.iter("item")]
    assert len(set(identifiers)) == len(identifiers)
    assert len(identifiers) == len(entries) + sum(1 for e in entries if e.question.numeric)
