"""Teaching: everything between a person who demonstrates and a policy, for Python, the command line and the studio.

task.py                 what is to be learned; result.py: results and progress
teach.py                `teach`, and a `Pupil` that goes on learning; many_demonstrations.py: a few at a time
interpretation/         what the teacher meant
    interpretations.py  meanings of a click; equivalence.py: actions with the same effect; keys.py: tokens that are keys
    hypotheses.py       interpretations with or without mirror images; fitter.py fits them
practice/               which hypothesis wins
    ground.py           practice levels
    practice_search.py  searches that improve a policy: counterexamples.py, and credit.py in worlds with buttons
    practice_scoring.py, candidates.py, selection.py: scores, candidates, and the best of them
    cross_validation.py for demonstrations without a world
dialogue/               recording, corrections, advice, disagreement of candidates
lessons/                lessons of the studio and their files
"""
