"""Collections: stimuli belong to a study's own one or to a shared one, each with its rules

Revision: 0027
Follows: 0026

What happens to collected responses: nothing; no clip is encoded anew. All stimuli, uploads and rules of before go into
one shared collection, `library`, which every study of before uses; what each user sees stays as it was. Going back puts
all stimuli into one library again, with the rules of that collection: rules of others are deleted, and clips that were
processed by them count as processed by other rules.
"""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString, UTCDateTime

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_INDEXED = {"stimulus": True, "upload": False, "library_rules": True}


def upgrade() -> None:
    op.create_table(
        "collection",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", AutoString(), nullable=False),
        sa.Column("title", AutoString(), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["user_account.id"], name=op.f("fk_collection_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_collection")),
        sa.UniqueConstraint("slug", name=op.f("uq_collection_slug")),
        sqlite_autoincrement=True,
    )
    # Its id is the first that the table gives: 1.
    op.execute(
        "INSERT INTO collection (slug, title, is_open, created_at) "
        "SELECT 'library', 'Library', false, coalesce(min(imported_at), CURRENT_TIMESTAMP) FROM stimulus"
    )
    op.create_table(
        "study_collection",
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("collection_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study_id"], ["study.id"], name=op.f("fk_study_collection_study_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["collection_id"], ["collection.id"], name=op.f("fk_study_collection_collection_id")
        ),
        sa.PrimaryKeyConstraint("study_id", "collection_id", name=op.f("pk_study_collection")),
    )
    op.create_index(op.f("ix_study_collection_collection_id"), "study_collection", ["collection_id"])
    op.execute("INSERT INTO study_collection (study_id, collection_id) SELECT id, 1 FROM study")
    for table, is_indexed in _INDEXED.items():
        op.add_column(table, sa.Column("collection_id", sa.Integer(), nullable=True))
        op.execute(f"UPDATE {table} SET collection_id = 1")  # noqa: S608
        with op.batch_alter_table(table, reflect_kwargs={"resolve_fks": False}) as batch:
            batch.alter_column("collection_id", existing_type=sa.Integer(), nullable=False)
            batch.create_foreign_key(
                op.f(f"fk_{table}_collection_id"), "collection", ["collection_id"], ["id"]
            )
            if is_indexed:
                batch.create_index(op.f(f"ix_{table}_collection_id"), ["collection_id"])
    with op.batch_alter_table(
        "study", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as study:
        study.add_column(sa.Column("collection_id", sa.Integer(), nullable=True))
        study.create_foreign_key(op.f("fk_study_collection_id"), "collection", ["collection_id"], ["id"])
        study.create_unique_constraint(op.f("uq_study_collection_id"), ["collection_id"])


def downgrade() -> None:
    op.execute("DELETE FROM library_rules WHERE collection_id <> 1")
    with op.batch_alter_table(
        "study", table_kwargs={"sqlite_autoincrement": True}, reflect_kwargs={"resolve_fks": False}
    ) as study:
        study.drop_constraint(op.f("uq_study_collection_id"), type_="unique")
        study.drop_constraint(op.f("fk_study_collection_id"), type_="foreignkey")
        study.drop_column("collection_id")
    for table, is_indexed in _INDEXED.items():
        with op.batch_alter_table(table, reflect_kwargs={"resolve_fks": False}) as batch:
            if is_indexed:
                batch.drop_index(op.f(f"ix_{table}_collection_id"))
            batch.drop_constraint(op.f(f"fk_{table}_collection_id"), type_="foreignkey")
            batch.drop_column("collection_id")
    op.drop_index(op.f("ix_study_collection_collection_id"), "study_collection")
    op.drop_table("study_collection")
    op.drop_table("collection")
