"""What ships with the project: for each family a small release of our own writing, its pictures and
sample answers.

Content alone; nothing is scored here. Protocols name it in their `PROTOCOL`.
"""
