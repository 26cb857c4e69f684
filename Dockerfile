FROM node:26-trixie-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends binutils tini
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY scripts/build.mjs scripts/
COPY src src
RUN npm run build && npm prune --omit=dev
# Symbols and what only developers read: a quarter of the size.
RUN strip --strip-unneeded /usr/local/bin/node node_modules/@duckdb/node-bindings-linux-*/libduckdb.so \
 && find node_modules -type f \( -name '*.map' -o -name '*.md' -o -name '*.ts' \) -delete \
 && rm node_modules/.package-lock.json
# Of the libraries that Node.js loads, those that Debian slim does not have.
RUN mkdir /libraries && cp --dereference /usr/lib/*-linux-gnu/libatomic.so.1 /libraries/

FROM debian:trixie-slim
LABEL org.opencontainers.image.title="Tollkeeper" \
      org.opencontainers.image.description="Scheduled spend reporting and API-key rotation for an LLM gateway account" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /usr/bin/tini /usr/bin/
COPY --from=build /libraries /usr/local/lib/
COPY --from=build /usr/local/bin/node /usr/local/bin/
# ldconfig: the process of the queries has an empty environment, without a path of libraries.
RUN mkdir -p /config /data \
 && printf '# Nothing is declared yet. Mount your own folder over /config: tollkeeper.yaml and jobs/*.yaml.\n' > /config/tollkeeper.yaml \
 && ln -s /app/dist/main.js /usr/local/bin/tollkeeper \
 && chown 1000:1000 /data \
 && ldconfig
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY package.json LICENSE README.md /app/
COPY fonts /app/fonts
COPY reports /app/reports
COPY config /app/config
COPY templates /app/templates
# 16 threads: three long DuckDB queries must not starve files and DNS. Two arenas: with one a thread, free memory stays in each.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    UV_THREADPOOL_SIZE=16
# The default paths are relative: data/ is then the volume.
WORKDIR /
VOLUME /data
USER 1000:1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "tollkeeper"]
CMD ["serve", "--config", "/config"]
