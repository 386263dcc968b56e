"""An answer may say that there is no difference between the clips

Revision: 0009
Follows: 0008

What happens to collected responses: nothing; until now a choice was left or right. Going back makes answers of no
difference blank, for the tables of before cannot hold them.
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _allow("side IN ('left', 'right', 'tie')")


def downgrade() -> None:
    op.execute("UPDATE response SET side = NULL WHERE side = 'tie'")
    _allow("side IN ('left', 'right')")


def _allow(sides: str) -> None:
    with op.batch_alter_table("response", reflect_kwargs={"resolve_fks": False}) as response:
        response.drop_constraint(op.f("ck_response_side"), type_="check")
        response.create_check_constraint(op.f("ck_response_side"), sides)
