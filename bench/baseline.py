"""The baseline for serving clips: `python -m bench.baseline FILE PORT`, one file behind Starlette's FileResponse."""

import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route


def make_app(file: Path) -> Starlette:
    async def clip(_request: Request) -> FileResponse:
        return FileResponse(file, media_type="video/mp4")

    return Starlette(routes=[Route("/clip.mp4", clip)])


if __name__ == "__main__":
    uvicorn.run(make_app(Path(sys.argv[1])), port=int(sys.argv[2]), log_level="warning", access_log=False)
