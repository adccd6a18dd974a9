"""Statistics: from DataFrame to DataFrame, without knowing what a study is."""
