from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Heatmap, Metric, Radar

ACCURACY = Metric("accuracy", "Accuracy", "Right answers over judged answers.")
DOUBLE = Metric("double", "Twice", "Twice the accuracy.", unit="score", digits=1)
NEATNESS = Metric(
    "neatness", "Neatness", "Mean of what people rate.", unit="score", empty="nobody rated it"
)
AGREEMENT = Metric(
    "agreement", "Agreement", "Labels that are the judge's verdict too.", empty="nobody labelled it"
)
METRICS = {metric.name: metric for metric in (ACCURACY, DOUBLE, NEATNESS, AGREEMENT)}
AXES = (ColumnGroup("Words", (ACCURACY, ACCURACY, ACCURACY, ACCURACY)),)
BOARD = Board(
    summary="How well a model spells.",
    how="An answer is right when it is the spelling.",
    ranking="accuracy",
    min_coverage=0.99,
    tables=(
        BoardTable("main", "Spelling", "All words.", (ColumnGroup("Words", (ACCURACY, DOUBLE)),)),
    ),
    charts=(
        Radar(
            "spider", "Spelling from four sides", "One figure, four times.", AXES, low=0.0, high=1.0
        ),
        Heatmap("heat", "Spelling as a heatmap", "The same, shaded.", AXES, low=0.0, high=1.0),
    ),
    agreement=(AGREEMENT,),
)
