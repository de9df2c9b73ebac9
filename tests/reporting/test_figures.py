"""Figures: Chinese with a font and without, labels apart, bins and fronts by hand."""

import sys

import pytest

from mnemo_lab.reporting import fonts
from mnemo_lab.reporting.charts import front
from mnemo_lab.reporting.drawing import bin_names, bins, spread, wrapped
from mnemo_lab.reporting.figures import draw_all, inline
from mnemo_lab.reporting.fonts import Names, has_glyph, pick
from mnemo_lab.reporting.style import looks
from tests.reporting.runs import Shape, make_run

CATEGORIES = ("早期约束", "单一事实", "fact $x$")


def recall(strategy, recording, index, budget):
    return {"full": 1.0, "oracle": 1.0, "bm25": 0.7}.get(strategy, 0.2)


@pytest.fixture
def han(tmp_path):
    """A font with one character, as a family and a file."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for point in ((900, 0), (900, 900), (0, 900)):
        pen.lineTo(point)
    pen.closePath()
    square = pen.glyph()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "han"])
    builder.setupCharacterMap({ord("汉"): "han"})
    builder.setupGlyf({".notdef": square, "han": square})
    builder.setupHorizontalMetrics({".notdef": (1000, 0), "han": (1000, 0)})
    builder.setupHorizontalHeader(ascent=900, descent=-100)
    builder.setupNameTable({"familyName": "Noto Sans CJK SC", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    path = tmp_path / "one-han.ttf"
    builder.save(path)
    return str(path)


def test_without_a_font_the_png_has_numbers_and_the_svg_the_labels(tmp_path):
    run = make_run(Shape(categories=CATEGORIES, probes=3), recall)
    drawn = draw_all(run, tmp_path, chinese=None)
    assert drawn["by_category"].key == {"[1]": "单一事实", "[2]": "早期约束"}
    assert "早期约束" in drawn["by_category"].svg and "[1]" not in drawn["by_category"].svg
    assert "fact $x$" in drawn["by_category"].svg
    assert drawn["pareto"].key == {}


def test_without_a_font_the_report_prints_the_key(tmp_path, monkeypatch):
    from mnemo_lab.reporting.write import write_report

    monkeypatch.setattr("mnemo_lab.reporting.figures.chinese_family", lambda: None)
    html = write_report(make_run(Shape(categories=CATEGORIES, probes=3), recall), tmp_path).read_text(encoding="utf-8")
    assert "In the PNG: [1] 单一事实; [2] 早期约束." in html
    assert "Key: \\[1\\] 单一事实; \\[2\\] 早期约束." in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_with_a_font_labels_stay(tmp_path, han):
    from matplotlib import font_manager

    font_manager.fontManager.addfont(han)
    try:
        drawn = draw_all(make_run(Shape(categories=("汉",)), recall), tmp_path, chinese="Noto Sans CJK SC")
    finally:
        font_manager.fontManager.ttflist = [f for f in font_manager.fontManager.ttflist if f.fname != han]
    assert drawn["by_category"].key == {} and "汉 (12)" in drawn["by_category"].svg


def test_the_font_is_picked_by_its_glyph_not_by_its_name(tmp_path, han):
    import matplotlib

    latin = f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf"
    assert has_glyph(han) and not has_glyph(latin) and not has_glyph(str(tmp_path / "gone.ttf"))
    assert pick([("SimHei", latin), ("Noto Sans CJK JP", str(tmp_path / "gone.ttf"))]) is None
    assert pick([("DejaVu Sans", latin), ("SimHei", han), ("Noto Sans CJK SC", han)]) == "Noto Sans CJK SC"
    assert pick([("Unheard of", han)]) == "Unheard of"  # its file name hints at Chinese


def test_chinese_family_is_a_font_that_has_it_or_nothing():
    fonts.chinese_family.cache_clear()
    family = fonts.chinese_family()
    if family is not None:
        from matplotlib import font_manager

        assert has_glyph(font_manager.findfont(family))


def test_names_number_only_what_needs_it():
    plain, numbered = Names(), Names(numbered=True)
    assert plain("汉字") == "汉字" and numbered("bm25") == "bm25"
    assert [numbered("汉"), numbered("字"), numbered("汉")] == ["[1]", "[2]", "[1]"]


def test_nothing_defined_draws_nothing(tmp_path):
    assert draw_all(make_run(Shape(), lambda *_: float("nan")), tmp_path) == {}


def test_drawing_is_repeatable_and_leaves_matplotlib_alone(tmp_path):
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    run = make_run(Shape(), recall)
    first, second = draw_all(run, tmp_path / "a", None), draw_all(run, tmp_path / "b", None)
    assert first == second
    assert (tmp_path / "a/figures/pairs.png").read_bytes() == (tmp_path / "b/figures/pairs.png").read_bytes()
    assert dict(mpl.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()


def test_colours_are_the_same_in_every_figure():
    found = looks(["full", "recent", "bm25", "dense", "oracle"], "recent")
    assert found["bm25"].colour != found["dense"].colour
    assert found["full"].colour == found["oracle"].colour == found["recent"].colour
    many = looks([f"s{i}" for i in range(20)], "recent")
    assert len({(look.colour, look.marker, str(look.line)) for look in many.values()}) == 20


def test_inline_svg_has_ids_of_its_own():
    svg = '<?xml version="1.0"?>\n<svg width="9pt" height="9pt" viewBox="0 0 9 9"><g id="a" clip-path="url(#a)"/></svg>'
    text = inline(svg, "f")
    assert text.startswith('<svg viewBox="0 0 9 9" role="img"') and 'id="f-a" clip-path="url(#f-a)"' in text


def test_spread_keeps_order_and_distance():
    placed = spread([1.0, 1.0, 0.99, 0.0], 0.1)
    assert placed == pytest.approx([0.9, 1.0, 0.8, 0.0])
    crowded = spread([0.5] * 30, 0.1)
    assert min(b - a for a, b in zip(sorted(crowded), sorted(crowded)[1:], strict=False)) == pytest.approx(0.1)


def test_front_by_hand():
    points = [(100.0, 0.2), (50.0, 0.1), (100.0, 0.5), (200.0, 0.4), (300.0, 0.6)]
    assert front(points) == [(50.0, 0.1), (100.0, 0.5), (300.0, 0.6)]


def test_bins_by_hand():
    assert bins(list(range(11)), 5) == pytest.approx([0, 2, 4, 6, 8, 10])
    assert bins([5.0, 5.0]) == [5.0, 5.0] and bins([]) == []
    assert bin_names([0, 999, 1234, 12345]) == ["0–999", "999–1.2k", "1.2k–12k"]
    assert bin_names([5.0, 5.0]) == ["5"]


def test_long_settings_break_after_commas():
    assert wrapped("hybrid(k=20, neighbours=2, fusion='zscore')").split("\n") == [
        "hybrid(k=20, neighbours=2,", "fusion='zscore')",
    ]  # fmt: skip


def test_fonts_in_svg_are_the_readers(tmp_path):
    svg = draw_all(make_run(Shape(), recall), tmp_path, None)["pairs"].svg
    assert "<text" in svg and "system-ui, 'Segoe UI'" in svg
    assert svg.count("'DejaVu Sans'") == svg.count("system-ui")
