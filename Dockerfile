# evalreport with what its PDF needs. Runs as a user of its own, also with a read-only root:
#   docker build -t evalreport .
#   docker run --rm --read-only --tmpfs /tmp --network none -v "$PWD":/work evalreport run audit.yaml
FROM python:3.12-slim AS build
WORKDIR /source
RUN python -m venv /opt/evalreport
COPY requirements/run-py312.txt requirements/
RUN /opt/evalreport/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements/run-py312.txt
COPY . .
RUN /opt/evalreport/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 evalreport
COPY --from=build /opt/evalreport /opt/evalreport
ENV PATH=/opt/evalreport/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
USER evalreport
WORKDIR /work
ENTRYPOINT ["evalreport"]
CMD ["--help"]
