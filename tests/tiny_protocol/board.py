from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Heatmap, Metric, Radar

ACCURACY = Metric("accuracy", "Accuracy", "Right answers over judged answers.")
DOUBLE = Metric("double", "Twice", "Twice the accuracy.", unit="score", digits=1)
METRICS = {"accuracy": ACCURACY, "double": DOUBLE}
AXES = (ColumnGroup("Words", (ACCURACY, ACCURACY, ACCURACY, ACCURACY)),)
BOARD = Board(
    summary="How well a model spells.",
    how="An answer is right when it is the spelling.",
    ranking="accuracy",
    min_coverage=0.99,
    tables=(BoardTable("main", "Spelling", "All words.", (ColumnGroup("Words", (ACCURACY, DOUBLE)),)),),
    charts=(
        Radar("spider", "Spelling from four sides", "One figure, four times.", AXES, low=0.0, high=1.0),
        Heatmap("heat", "Spelling as a heatmap", "The same, shaded.", AXES, low=0.0, high=1.0),
    ),
)
