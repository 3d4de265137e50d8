"""What LPP is compared with: three networks, plain program induction, and LPP with a part taken away.

All have the same two methods: `fit(demos)`, which returns the object itself, and `act(grid)`. Each module's
`learner(game, seed, options)` makes one; `shown.experiments.trials.METHODS` lists them all.

    networks.py       LLN, FCN and CNN policies (their layers in architectures.py, how they are trained in training.py)
    vpi.py            Vanilla Program Induction
    features_nn.py    the ablations Features + NN and Features + NN + L1
    lpp.py            LPP itself, and the ablations No Prior and Sparsity Prior
    taught.py         what `shown` does by default: more than the paper
"""
