"""A lesson is exported from one studio and imported into another."""

from __future__ import annotations

import json

from playwright.sync_api import expect


def test_a_lesson_is_exported_and_imported(studio, make_server, visit, tmp_path):
    for _ in range(2):
        studio.post("expert", game="nim")
    studio.learned("nim")
    sender = visit(studio)
    sender.at("#open-export").click()
    with sender.page.expect_download() as download:
        sender.at("#take-lesson-json").click()
    assert download.value.suggested_filename == "nim-lesson.json"
    path = tmp_path / "nim-lesson.json"
    download.value.save_as(path)

    reader = visit(make_server())
    reader.choose("chase")
    reader.at("#open-export").click()
    reader.at("#bring").set_input_files(path)
    expect(reader.at("#game-nim")).to_have_attribute("aria-current", "")
    expect(reader.at(".record")).to_have_count(2)
    reader.has_learned(2)
    expect(reader.at("#rate")).to_have_text("It wins 12 of 12 new levels")

    # A lesson that cannot be imported says why, and changes nothing.
    spoiled = json.loads(path.read_text())
    spoiled["lesson"]["demonstrations"]["demonstrations"][1]["steps"][0]["action"] = [99, 99]
    path.write_text(json.dumps(spoiled))
    reader.at("#open-export").click()
    reader.at("#bring").set_input_files(path)
    expect(reader.at("#bring-problem")).to_contain_text("demonstration 1, step 0")
    expect(reader.at(".record")).to_have_count(2)
    reader.problems = [problem for problem in reader.problems if " 400 " not in problem]
