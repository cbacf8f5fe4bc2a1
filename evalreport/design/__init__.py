"""Before the data: whether a study is large enough for the criteria that it has to meet."""
