"""One module a lesson: its exercises and its predictions. What the learner reads about them stands in texts/<language>/NN.toml."""
