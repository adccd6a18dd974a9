"""Statistics: from DataFrame to DataFrame, without knowing what a study is.

What cannot be estimated is an `Inestimable` with its reason. Missing values are left out; infinite
ones, and those whose fourth powers are no numbers any more (`finite`), are refused by ValueError.
"""
