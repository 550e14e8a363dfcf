"""Labels that `auto` saves where labels are few: `make bench-labels`.

Four public sets that no recipe was tuned on, by what the platform's frozen network sees in their images, and four that
are made to lose. Each replay starts from one label a class; a strategy that needs no model picks those too, as the
first batch of a pipeline does, and the others start from the same random ones. After every batch the head that the
learner `auto` solves is solved anew, with and without pseudo-labels. Replays are kept, so a run that was stopped goes
on where it was.
"""
