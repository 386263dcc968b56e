"""Who uploaded a clip, and which clips a study may use: by these a user who is no owner sees it

Revision: 0008
Follows: 0007

What happens to collected responses: nothing. A clip's uploader is taken from its upload; of clips that came another
way it stays unknown, and owners and the users of studies that show them see these. A study may use the clips of its
versions and those that its draft lists; where a draft draws at random, all there are, as before. Going back lets
everybody see all clips again.
"""

import json
import re

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_CELL = re.compile(r'[^,;"\r\n]+')


def upgrade() -> None:
    with op.batch_alter_table("stimulus", reflect_kwargs={"resolve_fks": False}) as stimulus:
        stimulus.add_column(sa.Column("uploaded_by", sa.Integer(), nullable=True))
        stimulus.create_foreign_key(op.f("fk_stimulus_uploaded_by"), "user_account", ["uploaded_by"], ["id"])
        stimulus.create_index(op.f("ix_stimulus_uploaded_by"), ["uploaded_by"])
    op.create_table(
        "study_clip",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("stimulus_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["study.id"], name=op.f("fk_study_clip_study_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["stimulus_id"],
            ["stimulus.id"],
            name=op.f("fk_study_clip_stimulus_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("study_id", "stimulus_id", name=op.f("pk_study_clip")),
    )
    op.create_index(op.f("ix_study_clip_stimulus_id"), "study_clip", ["stimulus_id"])
    op.execute(
        "UPDATE stimulus SET uploaded_by = (SELECT min(upload.user_id) FROM upload "
        "WHERE upload.stimulus_id = stimulus.id AND upload.status = 'done')"
    )
    op.execute(
        "INSERT INTO study_clip (study_id, stimulus_id) "
        "SELECT v.study_id, p.stimulus_a_id FROM pair p JOIN study_version v ON v.id = p.version_id "
        "UNION SELECT v.study_id, p.stimulus_b_id FROM pair p JOIN study_version v ON v.id = p.version_id"
    )
    _fill_from_drafts()


def _fill_from_drafts() -> None:
    connection = op.get_bind()
    clips = connection.execute(sa.text("SELECT id, name FROM stimulus WHERE clip_sha256 IS NOT NULL")).all()
    there = {
        tuple(row) for row in connection.execute(sa.text("SELECT study_id, stimulus_id FROM study_clip"))
    }
    drafts = connection.execute(sa.text("SELECT study_id, keys FROM draft")).all()
    for study_id, keys in drafts:
        keys = json.loads(keys) if isinstance(keys, str) else keys
        listed = keys.get("pairs") if isinstance(keys, dict) else None
        draws = isinstance(keys, dict) and keys.get("sample")
        names = {cell.strip() for cell in _CELL.findall(listed)} if isinstance(listed, str) else set()
        for stimulus_id, name in clips:
            if (draws or name in names) and (study_id, stimulus_id) not in there:
                connection.execute(
                    sa.text("INSERT INTO study_clip (study_id, stimulus_id) VALUES (:study, :clip)"),
                    {"study": study_id, "clip": stimulus_id},
                )


def downgrade() -> None:
    op.drop_table("study_clip")
    with op.batch_alter_table("stimulus", reflect_kwargs={"resolve_fks": False}) as stimulus:
        stimulus.drop_index(op.f("ix_stimulus_uploaded_by"))
        stimulus.drop_constraint(op.f("fk_stimulus_uploaded_by"), type_="foreignkey")
        stimulus.drop_column("uploaded_by")
