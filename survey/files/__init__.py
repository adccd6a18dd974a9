"""Files of researchers as text, tables and YAML, with problems that give their place. Pure.

Nothing here knows what a study is: study files, imports, recipes and rules are read with it.
"""
