"""Which parts of a lesson count as prose, and which as figures."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import readability

LESSON = """# Title of a lesson

About [two](https://a.b/c) *short* sentences. Call `torch.compile(model)` once.

```python
not_prose()
```

| a | table |
| --- | --- |

- one item
- another item:

<figure><img src="figures/a.svg" alt="An alternative."></figure>

--8<-- "curriculum/a/figures/b.svg"
"""


def test_prose_has_no_code_tables_headings_or_addresses() -> None:
    said = "About two short sentences. Call code once.\none item.\nanother item."
    assert readability.prose(LESSON) == said


def test_figures_are_counted_as_images_and_as_includes() -> None:
    assert len(readability.FIGURE.findall(LESSON)) == 2


def test_questions_of_both_formats_are_measured() -> None:
    old = {"answer": "The proof shows three words."}
    new = {"title": "Why?", "say": "Because it is.", "answer": "A long answer."}
    found = readability.asked([old, new])
    assert found["count"] == 2
    assert found["titles_that_ask"] == 1
    assert found["answers_that_name_a_proof"] == 1
    assert (found["answer_words_median"], found["answer_words_most"]) == (4, 5)
    assert (found["to_say_aloud"], found["say_words_median"]) == (1, 3)
    assert readability.asked([old])["say_words_median"] == "none"


def test_sentences_about_a_person_are_counted() -> None:
    text = readability.prose("Who reads it?\n\nNobody does. The person is the reader.")
    assert readability.sentences(text) == readability.Sentences(3, 3.3, 0.6667)


def test_task_texts_are_the_markdown_without_code_and_answers() -> None:
    notebook = """# %% [markdown]
# Write `f`.

# %%
print("code")

# %% [markdown]
# ### BEGIN SOLUTION m.report
# An answer.
# ### END SOLUTION
"""
    assert readability.prose(readability.task_texts(notebook)) == "Write code."


def test_translations_and_guides_are_not_questions_in_english() -> None:
    names = ("fused_softmax/questions", "questions/llm_inference")
    assert all(readability.QUESTIONS.fullmatch(f"curriculum/{name}.yaml") for name in names)
    names = ("fused_softmax/questions.zh", "questions/llm_inference.zh", "questions/guides")
    assert not any(readability.QUESTIONS.fullmatch(f"curriculum/{name}.yaml") for name in names)
