"""A QTI 1.2 package: a section per track, an item per question, marked by hand from 0 to 4.

If a question has numbers, an item follows that the importing system marks automatically. The
elements have no namespace, as in the format's DTD; Canvas and Blackboard accept both.
"""

import io
import zipfile
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export import markup
from hotloop.learn.bank.export.labels import LABELS
from hotloop.learn.bank.numeric import Instance
from hotloop.learn.bank.wording import Language, Wording, wording
from hotloop.tasks import curriculum

ITEMS = "questions.xml"
MANIFEST = "imsmanifest.xml"
_CP = "http://www.imsglobal.org/xsd/imscp_v1p1"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_FEEDBACK = "general_fb"
"""Identifier of feedback that Canvas shows for every answer."""


def package(entries: Sequence[CatalogEntry], language: Language) -> bytes:
    """Return a zip file with the questions and the manifest; equal questions give equal bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in ((MANIFEST, manifest(language)), (ITEMS, items(entries, language))):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def items(entries: Sequence[CatalogEntry], language: Language) -> bytes:
    """Return the XML file with the questions."""
    root = Element("questestinterop")
    bank = LABELS[language].bank
    assessment = SubElement(root, "assessment", ident=f"hotloop.{language}", title=bank)
    for track in curriculum.curriculum().tracks:
        chosen = [entry for entry in entries if entry.track == track.id]
        if not chosen:
            continue
        section = SubElement(
            assessment, "section", ident=f"hotloop.{track.id}.{language}", title=track.title
        )
        for entry in chosen:
            _add(section, entry, language)
    return _document(root)


def manifest(language: Language) -> bytes:
    """Return imsmanifest.xml, which lists the single file of questions."""
    root = Element("manifest", identifier=f"hotloop.{language}.manifest", xmlns=_CP)
    metadata = SubElement(root, "metadata")
    SubElement(metadata, "schema").text = "IMS Content"
    SubElement(metadata, "schemaversion").text = "1.1.3"
    SubElement(root, "organizations")
    resources = SubElement(root, "resources")
    resource = SubElement(
        resources,
        "resource",
        identifier=f"hotloop.{language}",
        type="imsqti_xmlv1p2",
        href=ITEMS,
    )
    SubElement(resource, "file", href=ITEMS)
    return _document(root)


def _add(section: Element, entry: CatalogEntry, language: Language) -> None:
    texts = wording(entry, language)
    item = _item(section, entry, texts, "")
    _metadata(item, entry, "essay_question", 4)
    _html(SubElement(item, "rubric", view="Assessor"), markup.rubric(texts))
    _response(item, texts, markup.paragraphs(texts.prompt), fib="String")
    condition = _processing(item, 4)
    SubElement(SubElement(condition, "conditionvar"), "other")
    _show_feedback(item, condition, markup.solution(texts, LABELS[language]))
    if entry.question.numeric is not None:
        instance = numeric.draw(entry.question.numeric, entry.key, texts.numeric)
        _add_numeric(section, entry, texts, instance)


def _add_numeric(section: Element, entry: CatalogEntry, texts: Wording, instance: Instance) -> None:
    item = _item(section, entry, texts, ".numeric")
    _metadata(item, entry, "numerical_question", 1)
    ask = f"{instance.ask} ({instance.unit})" if instance.unit else instance.ask
    _response(item, texts, markup.paragraphs(ask), fib="Decimal")
    condition = _processing(item, 1)
    right = SubElement(SubElement(condition, "conditionvar"), "or")
    SubElement(right, "varequal", respident="response").text = repr(instance.answer)
    within = SubElement(right, "and")
    margin = abs(instance.answer) * instance.tolerance
    SubElement(within, "vargte", respident="response").text = repr(instance.answer - margin)
    SubElement(within, "varlte", respident="response").text = repr(instance.answer + margin)
    SubElement(condition, "setvar", action="Set", varname="SCORE").text = "1"
    _show_feedback(item, condition, markup.paragraphs(f"{instance.shown}. {instance.explain}"))


def _item(section: Element, entry: CatalogEntry, texts: Wording, kind: str) -> Element:
    ident = f"hotloop.{entry.question.id}.{texts.language}{kind}"
    return SubElement(section, "item", ident=ident, title=texts.title)


def _metadata(item: Element, entry: CatalogEntry, kind: str, points: int) -> None:
    fields = {
        "question_type": kind,
        "points_possible": str(points),
        "level": entry.question.level,
        "minutes": str(entry.question.minutes),
    }
    data = SubElement(SubElement(item, "itemmetadata"), "qtimetadata")
    for label, value in fields.items():
        field = SubElement(data, "qtimetadatafield")
        SubElement(field, "fieldlabel").text = label
        SubElement(field, "fieldentry").text = value


def _response(item: Element, texts: Wording, html: str, fib: str) -> None:
    presentation = SubElement(item, "presentation", {_LANG: texts.language})
    _html(presentation, html)
    response = SubElement(presentation, "response_str", ident="response", rcardinality="Single")
    field = SubElement(response, "render_fib", fibtype=fib)
    SubElement(field, "response_label", ident="text")


def _processing(item: Element, points: int) -> Element:
    """Add the item's only condition, still empty, and return it."""
    processing = SubElement(item, "resprocessing")
    outcomes = SubElement(processing, "outcomes")
    score = {"varname": "SCORE", "vartype": "Decimal", "minvalue": "0", "maxvalue": str(points)}
    SubElement(outcomes, "decvar", score)
    return SubElement(processing, "respcondition", {"continue": "No"})


def _show_feedback(item: Element, condition: Element, html: str) -> None:
    SubElement(condition, "displayfeedback", feedbacktype="Response", linkrefid=_FEEDBACK)
    _html(SubElement(SubElement(item, "itemfeedback", ident=_FEEDBACK), "flow_mat"), html)


def _html(parent: Element, html: str) -> None:
    SubElement(SubElement(parent, "material"), "mattext", texttype="text/html").text = html


def _document(root: Element) -> bytes:
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True)
