"""Collections that others made, as a folder that labkit works on: SQuAD, BEIR, and tables of questions with spans (lesson 15)."""
