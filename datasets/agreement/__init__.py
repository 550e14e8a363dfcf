"""Agreement between people, the consensus of their answers, and confidence intervals of shares. Imports no Django and
no app.

Answers are columns of codes (`opinions.Opinions`) or of shapes (`shapes.Shapes`); each formula names its source.
"""
