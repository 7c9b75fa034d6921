from benchmarks.protocols.base import Board, BoardTable, ColumnGroup, Metric

ACCURACY = Metric("accuracy", "Accuracy", "Right answers over judged answers.")
DOUBLE = Metric("double", "Twice", "Twice the accuracy.", unit="score", digits=1)
METRICS = {"accuracy": ACCURACY, "double": DOUBLE}
BOARD = Board(
    summary="How well a model spells.",
    how="An answer is right when it is the spelling.",
    ranking="accuracy",
    min_coverage=0.99,
    tables=(BoardTable("main", "Spelling", "All words.", (ColumnGroup("Words", (ACCURACY, DOUBLE)),)),),
)
