"""How far people agree, what their answers come to, and how sure a share is. Knows no Django and no app.

Answers are columns of codes (`opinions.Opinions`) or of shapes (`shapes.Shapes`); each formula names its source.
"""
