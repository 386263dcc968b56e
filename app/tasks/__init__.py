"""Tasks: `base` is the protocol of a task, `listed` names each, `registry` has its part of a study file, `running` the
task itself. Sessions, studies, the monitor and the exports use tasks through these only.
"""
