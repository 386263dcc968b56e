"""`likely-human study check` and `load`: study files and packages from disk."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import err, now, opened, out
from app.core.errors import StudyError
from app.core.problems import counted

_MOST_NAMED = 5


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The study file (YAML).")],
) -> None:
    """Say everything that is wrong with a study file, or that nothing is."""
    from app.studies.design_checks import notes_on_file
    from app.studies.file.load import load_study
    from app.studies.leaks import leaks_of, refuse_leaks
    from app.studies.versions import refuse_mixed_processing, stimulus_facts

    with opened() as (_, database), database.reading() as session:
        design = load_study(file, stimulus_facts(session))
        refuse_mixed_processing(session, design)
        refuse_leaks(session, design)
        found = leaks_of(session, design)
        notes = notes_on_file(session, design)
    out.print(f"{file}: fine. {design.contents}, version hash {design.sha256()[:12]}", markup=False)
    for note in notes:
        out.print(note, markup=False)
    for block in found:
        for leak in block.leaks:
            out.print(f"{block.block}: {leak.name} (allowed): {leak.says}", markup=False)
        if block.untold:
            out.print(f"{block.block}: {block.untold}", markup=False)
        if block.trivial is not None:
            out.print(f"{block.block}: {block.trivial.says}", markup=False)


def load(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The study file (YAML), or a study package (.zip).")
    ],
    user: Annotated[
        str,
        typer.Option(
            "--as", metavar="EMAIL", help="Of a package: whose draft it is; by default the first owner's."
        ),
    ] = "",
) -> None:
    """Store a study file as its study's newest version, or make a study of a package, as the browser does."""
    import zipfile

    # A pipe has no end to look at, where a zip has its list of files.
    if file.suffix.lower() == ".zip" or (file.is_file() and zipfile.is_zipfile(file)):
        _load_package(file, user)
    elif user:
        raise StudyError("--as is for a study package; a study file becomes a version, which is nobody's.")
    else:
        _load_file(file)


def _load_file(file: Path) -> None:
    from app.studies.file.load import load_study, written_study
    from app.studies.file.yamlpatch import file_of_version
    from app.studies.leaks import refuse_leaks
    from app.studies.versions import load_version, stimulus_facts

    with opened() as (_, database), database.transaction() as session:
        stimuli = stimulus_facts(session)
        design, written = load_study(file, stimuli), written_study(file)
        refuse_leaks(session, design)
        kept = file_of_version(design, written.keys, written, stimuli)
        loaded = load_version(session, design, now(), written=kept)
    out.print(
        f"{loaded.slug}: version {loaded.number} ({loaded.change}), {design.contents}. "
        f"Open it with: likely-human study open {loaded.slug}",
        markup=False,
    )


def _load_package(file: Path, email: str) -> None:
    import asyncio

    from app.accounts.logins import Who
    from app.accounts.users import first_owner, user_named
    from app.catalog.packed import make_study_of_file
    from app.studies.making import Start

    try:
        file.open("rb").close()
    except OSError as error:
        raise StudyError(f"{file} cannot be read: {error.strerror or error}") from None
    with opened() as (_, database):
        with database.reading() as session:
            user = user_named(session, email) if email else first_owner(session)
        if user is None:
            raise StudyError("there is no owner yet; add one with: likely-human user add you@example.org")
        who = Who(user.id, user.email, user.role)
        if not who.may_edit or user.disabled_at:
            raise StudyError(f"{user.email} may not make studies; name an owner or an editor with --as.")
        made = asyncio.run(make_study_of_file(database, who, file, str(file), Start(), now()))
    slug, clips = made.study.slug, made.clips
    out.print(f"{slug}: a draft of {user.email}; finish it at /admin/studies/{slug}", markup=False)
    if missing := clips.missing:
        more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
        n = counted(len(missing) + len(clips.there), "clip")
        err.print(
            f"warning: {len(missing)} of {n} are not here, and a package has no videos: "
            f"upload {', '.join(missing[:_MOST_NAMED])}{more}",
            markup=False,
        )
