"""Checks of the launch checklist: targets that leave no participant without a partner for a match."""

from collections.abc import Iterator

from app.core.problems import listed
from app.studies.file.design import StudyDesign
from app.trials.checks import Check


def partner_checks(design: StudyDesign) -> Iterator[Check]:
    """Targets by which the last participant of an arm would wait for people who are told that the study is full."""
    targets = [(f"arm {arm.id} ", arm.id, arm.target) for arm in design.arms]
    if not targets:
        targets = [("the study ", design.arm_ids[0], design.target)]
    short = [
        f"{of}is to have {target}, and {n} people play a match in {block.id}"
        for of, arm, target in targets
        for block in design.for_arm(arm).blocks
        if target and target % (n := block.n_together)
    ]
    if short:
        said = listed(short, "and")
        why = "Who is left over finds no person to play with: the others are told that the study is full."
        yield Check(
            "partners", "Targets and matches", "warning", f"{said[:1].upper()}{said[1:]}. {why}", "design"
        )
