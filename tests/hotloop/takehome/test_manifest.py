import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.learn.pack import manifest
from hotloop.learn.pack.keys import TeamKey
from hotloop.learn.pack.manifest import ForgedManifest, sign, verify
from hotloop.takehome.pack import Pack

from .conftest import Hired

OTHER = TeamKey(bytes(range(32)), bytes(32))


def test_what_was_signed_is_read_back(hired: Hired) -> None:
    ours = hired.packs[0].manifest
    signed = sign(ours, hired.team.key)
    assert verify(signed.to_bytes(), hired.team.public_key) == ours


@pytest.mark.parametrize(
    "change",
    [
        {"expires": "2099-01-01T00:00:00.000Z"},
        {"window_hours": 9999},
        {"pseudonym": "quiet-otter-99"},
        {"tasks": {"online_pass": {"weight": 1, "minutes": 1}}},
        {"variant": "0" * 64},
        {"work_log": "no"},
        {"files": {}},
    ],
)
def test_whatever_is_changed_is_seen(hired: Hired, change: dict[str, object]) -> None:
    document = json.loads(sign(hired.packs[0].manifest, hired.team.key).to_bytes())
    document["manifest"] |= change
    with pytest.raises(ForgedManifest, match="changed"):
        verify(json.dumps(document).encode(), hired.team.public_key)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"manifest": null, "signature": ""}',
        b'{"format": 1}' * 2,
        b" " * (manifest.LONGEST + 1),
    ],
    ids=["empty", "object", "deep", "not text", "null", "two", "long"],
)
def test_what_is_no_manifest_is_refused(hired: Hired, data: bytes) -> None:
    with pytest.raises(ForgedManifest):
        verify(data, hired.team.public_key)


def test_another_teams_signature_does_not_count(hired: Hired) -> None:
    with pytest.raises(ForgedManifest):
        verify(sign(hired.packs[0].manifest, OTHER).to_bytes(), hired.team.public_key)


def test_a_signature_of_something_else_does_not_count(hired: Hired) -> None:
    ours = hired.packs[0].manifest
    body = ours.body().split(b"\n", 1)[1]
    signature = base64.b64encode(hired.team.key.sign(body)).decode()
    signed = manifest.SignedManifest(manifest=ours, signature=signature)
    with pytest.raises(ForgedManifest):
        verify(signed.to_bytes(), hired.team.public_key)


def test_the_keys_show_themselves_to_nobody(hired: Hired) -> None:
    key = hired.team.key
    for shown in (repr(key), str(key), repr(hired.team)):
        assert key.signing.hex()[:8] not in shown
        assert repr(key.signing)[2:10] not in shown


def test_a_folder_knows_its_variant_and_no_other(
    hired: Hired, unpack: Callable[[Pack], Path]
) -> None:
    """With another variant, a candidate would check an exercise that is not graded."""
    first, second = hired.packs
    folder = manifest.find(unpack(first))
    assert folder is not None
    assert folder.variant() == hired.team.variant(first.manifest.pack)
    path = folder.folder / manifest.VARIANT
    another = json.dumps(hired.team.variant(second.manifest.pack).to_json())
    for text in (another, "{", '{"format": 1}'):
        path.write_text(text)
        with pytest.raises(ForgedManifest, match=r"^variant.json is damaged: take it"):
            folder.variant()
    path.unlink()
    with pytest.raises(ForgedManifest, match="damaged"):
        folder.variant()
