"""How easy are the lessons to read, now and in an earlier commit?

    python3 -m venv build/readability
    build/readability/bin/pip install 'textstat==0.7.4' pyyaml
    build/readability/bin/python tests/benchmarks/readability.py COMMIT --keep

Computes for each lesson the words of its own text, the figures, the mean words per sentence and the
Flesch-Kincaid grade (1975), all but the figures by textstat. Code, tables, headings and link
targets are left out; a name in code counts as one word of one syllable; a list item ends a
sentence. The grade measures the length of words and sentences, not whether a text is clear. The
interview questions' figures are in `questions`: how many there are, how many titles are questions,
the words of an answer and of what to say aloud, and how many answers name a proof.
`--notebooks` measures the first two hints of each task and the task texts of each notebook in its
place, without textstat: sentences, words per sentence, and the share of sentences about a person
(“who”, “somebody”, “nobody”). `--keep` writes the rows to tests/benchmarks/results.
"""

import argparse
import importlib
import json
import re
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULT = ROOT / "tests" / "benchmarks" / "results" / "readability.json"
NOTEBOOKS = RESULT.with_stem("readability_notebooks")
FIGURE = re.compile(r"<img |!\[[^\]]*\]\(|^\s*--8<--.*\.svg|<svg\b", re.MULTILINE)
QUESTIONS = re.compile(r"curriculum/(?:\w+/questions|questions/(?!guides)\w+)\.yaml")
PERSON = re.compile(r"\b(?:who|whom|whoever|(?:some|any|every|no)body|someone)\b", re.IGNORECASE)
END_OF_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[^a-z]|code\b)|\n")
NOT_PROSE = (
    r"(?ms)\A---\n.*?^---$",
    r"(?ms)^\s*(`{3,}).*?^\s*\1\s*$",
    r"(?m)^\s*--8<--.*$",
    r"(?s)<!--.*?-->",
    r"(?s)<svg\b.*?</svg>",
    r"</?\w[^>]*>",
    r"(?m)^\s*\|.*$",
    r"(?m)^#+ .*$",
    r"(?m)^\s*(?:\?\?\?\+?|!!!) .*$",
    r"\{\s*[.:#][^}]*\}",
)


@dataclass(frozen=True)
class Text:
    """The measurements of one lesson."""

    words: int
    figures: int
    words_per_sentence: float
    grade: float


@dataclass(frozen=True)
class Sentences:
    """The measurements of hints or of task texts. about_a_person: a share of the sentences."""

    sentences: int
    words_per_sentence: float
    about_a_person: float


def main() -> None:
    """Count and print; with --keep, write the rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit", help="the earlier text's")
    parser.add_argument("--notebooks", action="store_true", help="hints and task texts instead")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.parent.name}/*.json")
    arguments = parser.parse_args()
    if arguments.notebooks:
        measure_notebooks(arguments.commit, arguments.keep)
        return
    rows = [row(path, arguments.commit) for path in sorted(ROOT.glob("curriculum/*/lesson.md"))]
    for each in rows:
        print("  ".join(f"{name} {value}" for name, value in each.items()))
    if arguments.keep:
        version = ".".join(map(str, textstat().__version__))
        document = {
            "device": f"any device, by textstat {version}",
            "date": datetime.now(UTC).date().isoformat(),
            "earlier": git("rev-parse", "--short", arguments.commit).strip(),
            "questions_before": asked(bank(arguments.commit)),
            "questions": asked(bank("HEAD")),
            "rows": rows,
        }
        RESULT.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def row(path: Path, commit: str) -> dict[str, Any]:
    """Return one lesson's row; `none` for values of a lesson that did not exist earlier."""
    name = path.relative_to(ROOT).as_posix()
    before = git("show", f"{commit}:{name}", check=False)
    earlier = asdict(counted(before)) if before else dict.fromkeys(asdict(counted("A.")), "none")
    found: dict[str, Any] = {"lesson": path.parent.name}
    for key, value in asdict(counted(path.read_text(encoding="utf-8"))).items():
        found[f"{key}_before"], found[key] = earlier[key], value
    return found


def measure_notebooks(commit: str, keep: bool) -> None:
    """Print the sentences of hints and of task texts in the earlier commit and in HEAD."""
    before, now = notebook_texts(commit), notebook_texts("HEAD")
    rows = [
        {"module": module, "text": kind}
        | {f"{key}_before": value for key, value in asdict(sentences(earlier)).items()}
        | asdict(sentences(text))
        for (module, kind), text in now.items()
        if (earlier := before.get((module, kind)))
    ]
    for each in rows:
        print("  ".join(f"{name} {value}" for name, value in each.items()))
    if keep:
        document = {
            "device": "any device",
            "date": datetime.now(UTC).date().isoformat(),
            "earlier": git("rev-parse", "--short", commit).strip(),
            "rows": rows,
        }
        NOTEBOOKS.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def notebook_texts(commit: str) -> dict[tuple[str, str], str]:
    """Return hints and task texts as they were in a commit, by module, and of all modules."""
    yaml: Any = importlib.import_module("yaml")
    found: dict[tuple[str, str], str] = {("all", "hints"): "", ("all", "task texts"): ""}
    for name in git("ls-tree", "-r", "--name-only", commit, "solutions").split():
        if not (at := re.fullmatch(r"solutions/(\w+)/lab\.py", name)):
            continue
        tasks = yaml.safe_load(git("show", f"{commit}:curriculum/{at[1]}/module.yaml"))["tasks"]
        hints = "\n\n".join(hint for task in tasks for hint in task["hints"][:2])
        for kind, text in (
            ("hints", hints),
            ("task texts", task_texts(git("show", f"{commit}:{name}"))),
        ):
            found[at[1], kind] = prose(text)
            found["all", kind] += prose(text) + "\n"
    return found


def task_texts(notebook: str) -> str:
    """Return the Markdown of a percent notebook that a learner reads, without answers."""
    cells = re.split(
        r"(?m)^# %%",
        re.sub(r"(?ms)^(?:# )?### BEGIN SOLUTION.*?^(?:# )?### END SOLUTION", "", notebook),
    )
    lines = [
        re.sub(r"^# ?", "", line)
        for cell in cells
        if cell.startswith(" [markdown]")
        for line in [*cell.splitlines()[1:], ""]
    ]
    return "\n".join(lines)


def sentences(text: str) -> Sentences:
    """Measure sentences as `prose` returns them."""
    found = [each for each in END_OF_SENTENCE.split(text) if re.search(r"\w", each)]
    words = sum(len(each.split()) for each in found)
    persons = sum(bool(PERSON.search(each)) for each in found)
    return Sentences(len(found), round(words / len(found), 1), round(persons / len(found), 4))


def bank(commit: str) -> list[dict[str, Any]]:
    """Return the interview questions in English as they were in a commit."""
    yaml: Any = importlib.import_module("yaml")
    names = git("ls-tree", "-r", "--name-only", commit, "curriculum").split()
    files = [name for name in names if QUESTIONS.fullmatch(name)]
    return [
        question
        for name in files
        for question in yaml.safe_load(git("show", f"{commit}:{name}"))["questions"]
    ]


def asked(questions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Count and measure questions; a question of an earlier format may have no title or `say`."""
    answers = [len(each["answer"].split()) for each in questions]
    said = [len(each["say"].split()) for each in questions if "say" in each]
    titles = [str(each.get("title", "")).strip() for each in questions]
    return {
        "count": len(questions),
        "titles_that_ask": sum(title.endswith("?") for title in titles),
        "answer_words_median": statistics.median(answers),
        "answer_words_most": max(answers),
        "to_say_aloud": len(said),
        "say_words_median": statistics.median(said) if said else "none",
        "say_words_most": max(said, default="none"),
        "answers_that_name_a_proof": sum("proof" in each["answer"].lower() for each in questions),
    }


def counted(markdown: str) -> Text:
    """Measure a lesson."""
    text, tool = prose(markdown), textstat().textstat
    words, sentences = tool.lexicon_count(text), tool.sentence_count(text)
    grade = float(tool.flesch_kincaid_grade(text))
    return Text(words, len(FIGURE.findall(markdown)), round(words / sentences, 1), round(grade, 1))


def textstat() -> Any:
    """Return the package, which is installed in an environment of its own."""
    return importlib.import_module("textstat")


def prose(markdown: str) -> str:
    """Return the sentences, with one paragraph or list item per line."""
    for pattern in NOT_PROSE:
        markdown = re.sub(pattern, "\n", markdown)
    markdown = re.sub(r"\{\{.*?\}\}", "1", markdown)
    markdown = re.sub(r"`+[^`]+`+", "code", markdown)
    markdown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    markdown = re.sub(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", "", markdown)
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", markdown)
    lines = [re.sub(r"^\s*(?:[-*]|\d+\.) ", "", " ".join(part.split())) for part in parts]
    return "\n".join(f"{line.rstrip(' .:;')}." for line in lines if re.search(r"\w", line))


def git(*words: str, check: bool = True) -> str:
    """Return git's output."""
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, check=check, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
