"""`likely-human user`: who may use the experimenter's pages."""

import sys
from typing import Annotated

import typer

from app.accounts.roles import Role
from app.cli.console import now, opened, out

app = typer.Typer(no_args_is_help=True, help="Users: add, list, role, disable, enable, password.")

EmailArgument = Annotated[str, typer.Argument(metavar="EMAIL", help="The user's email address.")]
RoleArgument = Annotated[Role, typer.Argument(metavar="ROLE", help="owner, editor or viewer.")]
GenerateOption = Annotated[
    bool, typer.Option("--generate", help="Generate the password and print it, instead of asking for it.")
]


@app.command()
def add(
    email: EmailArgument,
    role: Annotated[
        Role | None,
        typer.Option(help="What they may do. By default the first user is an owner, others are editors."),
    ] = None,
    generate: GenerateOption = False,
) -> None:
    """Add a user. The password is prompted for, or generated if there is no terminal."""
    from app.accounts import passwords, users
    from app.accounts.audit import COMMAND_LINE

    email = users.checked_email(email)
    with opened() as (_, database):
        with database.reading() as session:
            given = role or (Role.OWNER if users.is_nobody(session) else Role.EDITOR)
            users.refuse_known(session, email)
        password, is_generated = _password(generate, email)
        # Hashing takes an eighth of a second: not while the database is locked.
        kept = passwords.hashed(password, email)
        with database.transaction() as session:
            users.add_user(session, email, given, kept, by=COMMAND_LINE, now=now())
    out.print(f"{email}: added as {given}.", markup=False)
    _tell(password, is_generated)


@app.command("list")
def list_users() -> None:
    """List everybody who may come in."""
    from app.accounts import users

    with opened() as (_, database), database.reading() as session:
        everybody = users.users(session)
    if not everybody:
        out.print("No user yet. Add one with: likely-human user add you@example.org", markup=False)
    for user in everybody:
        seen = f"last here {user.seen_at:%Y-%m-%d}" if user.seen_at else "never here"
        disabled = "  disabled" if user.disabled_at else ""
        out.print(f"{user.email}  {user.role}  {seen}{disabled}", markup=False)


@app.command("role")
def set_role(email: EmailArgument, role: RoleArgument) -> None:
    """Give a user another role."""
    from app.accounts import users
    from app.accounts.audit import COMMAND_LINE

    with opened() as (_, database), database.transaction() as session:
        user = users.user_named(session, email)
        users.set_role(session, user.id, role, by=COMMAND_LINE, now=now())
    out.print(f"{user.email}: {role}", markup=False)


@app.command()
def disable(email: EmailArgument) -> None:
    """Switch a user off: their logins end, their API tokens are revoked."""
    _switch(email, True, "switched off; logged out everywhere, API tokens revoked")


@app.command()
def enable(email: EmailArgument) -> None:
    """Switch a user on again, with the password that they had."""
    _switch(email, False, "switched on")


@app.command()
def password(email: EmailArgument, generate: GenerateOption = False) -> None:
    """Give a user another password: their logins end, their API tokens are revoked."""
    from app.accounts import passwords, users
    from app.accounts.audit import COMMAND_LINE

    with opened() as (_, database):
        with database.reading() as session:
            user = users.user_named(session, email)
        new, is_generated = _password(generate, user.email)
        kept = passwords.hashed(new, user.email)
        with database.transaction() as session:
            users.set_password(session, user.id, kept, by=COMMAND_LINE, now=now())
    out.print(f"{user.email}: password changed; logged out everywhere, API tokens revoked.", markup=False)
    _tell(new, is_generated)


def _switch(email: str, disabled: bool, said: str) -> None:
    from app.accounts import users
    from app.accounts.audit import COMMAND_LINE

    with opened() as (_, database), database.transaction() as session:
        user = users.user_named(session, email)
        users.set_disabled(session, user.id, disabled, by=COMMAND_LINE, now=now())
    out.print(f"{user.email}: {said}", markup=False)


def _password(generate: bool, email: str) -> tuple[str, bool]:
    """The password, and whether it was generated. Raises WeakPassword."""
    from app.accounts import passwords

    if generate or not sys.stdin.isatty():
        return passwords.generated(), True
    prompt = f"Password ({passwords.SHORTEST} characters or more)"
    typed: str = typer.prompt(prompt, hide_input=True, confirmation_prompt="The same again", err=True)
    passwords.check_strength(typed, email)
    return typed, False


def _tell(password: str, is_generated: bool) -> None:
    if is_generated:
        out.print(f"Password: {password}", markup=False)
        out.print("It is not kept in this form and will not be shown again.", markup=False)
