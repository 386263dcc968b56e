# Two stages: dependencies are built into a virtual environment, the image holds that and our own source.
# tools/image.sh builds it without a container engine, on a base that it makes itself.
ARG BASE=python:3.12-slim
FROM ${BASE} AS build
WORKDIR /srv
# For sites with certificates of their own: uv otherwise trusts none but those that it brings.
ENV UV_SYSTEM_CERTS=true
RUN python -m venv /srv/.venv
COPY requirements/bootstrap.txt requirements/runtime.txt requirements/
RUN .venv/bin/pip install --no-cache-dir --require-hashes -r requirements/bootstrap.txt
# uv is several times faster; pip knows more kinds of proxies and mirrors.
RUN .venv/bin/uv pip install --no-cache --python .venv/bin/python --require-hashes -r requirements/runtime.txt \
    || .venv/bin/pip install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md ./
COPY app app
COPY analysis analysis
COPY migrations migrations
COPY docs docs
COPY stimuli stimuli
RUN .venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation --no-index --editable .
# Who runs the image may not write here: without the bytecode of this import, every process would compile for seconds.
RUN .venv/bin/python -c "import pingouin, app.reports.report, app.reports.package" \
    && .venv/bin/python -c "import app.serving, app.demo.build, app.cli as c; all(map(c.load, c.COMMANDS))"

FROM ${BASE}
WORKDIR /srv
RUN useradd --system --uid 10001 --home-dir /srv --shell /usr/sbin/nologin likely-human \
    && install --directory --owner likely-human --mode 0700 /data
COPY --from=build /srv /srv
ENV LIKELY_HUMAN_DATA=/data PATH=/srv/.venv/bin:$PATH PYTHONUNBUFFERED=1
USER likely-human
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["likely-human", "serve", "--host", "0.0.0.0", "--port", "8000"]
