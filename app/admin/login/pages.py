"""What the login page is given."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class LoginPage:
    """`next` is where to go afterwards; `is_nobody` that there is no user yet."""

    template: ClassVar[str] = "login.html"
    csrf: str
    next: str
    email: str = ""
    error: str = ""
    is_nobody: bool = False
