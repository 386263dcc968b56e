"""Public data that R's documentation works its rank tests on."""

import numpy as np

# R's ?wilcox.test: permeability of the human chorioamnion, Hollander & Wolfe (1973), p. 69f.
AT_TERM = np.array([0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46])
EARLIER = np.array([1.15, 0.88, 0.90, 0.74, 1.21])

# R's ?kruskal.test: mucociliary efficiency, Hollander & Wolfe (1973), p. 116.
MUCOCILIARY = {
    "normal": np.array([2.9, 3.0, 2.5, 2.6, 3.2]),
    "obstructive": np.array([3.8, 2.7, 4.0, 2.4]),
    "asbestosis": np.array([2.8, 3.4, 3.7, 2.2, 2.0]),
}

# R's airquality: daily ozone in New York, May to September 1973, without the missing days.
OZONE = {
    month: np.array([float(cell) for cell in cells.split()])
    for month, cells in {
        "5": "41 36 12 18 28 23 19 8 7 16 11 14 18 14 34 6 30 11 1 11 4 32 23 45 115 37",
        "6": "29 71 39 23 21 37 20 12 13",
        "7": "135 49 32 64 40 77 97 97 85 10 27 7 48 35 61 79 63 16 80 108 20 52 82 50 64 59",
        "8": "39 9 16 78 35 66 122 89 110 44 28 65 22 59 23 31 44 21 9 45 168 73 76 118 84 85",
        "9": "96 78 73 91 47 32 20 23 21 24 44 21 28 9 13 46 18 13 24 16 13 23 36 7 14 30 14 18 20",
    }.items()
}
