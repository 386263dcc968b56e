"""Bodies that no program sends in good faith: refused in words, and the service goes on."""

from tests.admin.persons import Program


def test_a_body_of_the_wrong_kind_is_named(api: Program, study: str) -> None:
    response = api.put(f"/studies/{study}/state", json=[])
    assert (response.status_code, response.json()["message"].partition(":")[0]) == (422, "body")


BODIES: tuple[tuple[str | bytes, int], ...] = (
    ("[" * 200_000, 400),
    ("[" * 200_000 + "]" * 200_000, 400),
    ('{"state":' * 100_000 + "1" + "}" * 100_000, 400),
    ('{"state": ' + "9" * 100_000 + "}", 400),
    ('{"state": "live"', 422),
    ("null", 422),
    ("[]", 422),
    ('"' + "x" * 1_000_000 + '"', 422),
    (" " * 20_000_000 + "{}", 413),
    (b'{"state": "\xff"}', 400),
    ('{"state": "\\ud800"}', 422),
    ('{"state": "li\\u0000ve"}', 422),
    ('{"state": NaN}', 422),
)


def test_a_body_that_is_deep_large_or_broken_is_refused_in_words(api: Program, study: str) -> None:
    for body, status_code in BODIES:
        response = api.request(
            "PUT", f"/studies/{study}/state", content=body, headers={"Content-Type": "application/json"}
        )
        assert response.status_code == status_code, (body[:40], response.text[:200])
        assert 0 < len(response.text) < 2_000
        assert api.get(f"/studies/{study}").status_code == 200
