"""What charts show, without a browser."""

from partcover.report.charts import events_chart


def test_the_gap_over_time():
    events = [
        {"seconds": 0.5, "tokens": 10, "lower_bound": None},
        {"seconds": 1.0, "tokens": 10, "lower_bound": 6},
        {"seconds": 2.0, "tokens": 8, "lower_bound": 8},
    ]
    gap, tokens = events_chart("search", events)["measures"]
    assert [line["points"] for line in gap["lines"]] == [[[1.0, 40.0], [2.0, 0.0]]]
    assert {line["name"]: line["points"] for line in tokens["lines"]} == {
        "tokens needed": [[0.5, 10], [1.0, 10], [2.0, 8]],
        "lower bound": [[1.0, 6], [2.0, 8]],
    }
