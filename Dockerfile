# A lab with virtual phones: alone, as a hub, or as a node (docs/guides/containers.md). The
# image also contains the entrance of a grid (docs/guides/kubernetes.md).

FROM node:22.21.1-bookworm-slim AS build
# Compilers for better-sqlite3, in case that no prebuilt binary fits.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
RUN npm install --global pnpm@10.34.8
WORKDIR /src
COPY . .
RUN pnpm install --frozen-lockfile && pnpm build && pnpm --filter @svc/lab --prod --legacy deploy /app \
  && pnpm --filter @svc/entrance --prod --legacy deploy /app/entrance

FROM node:22.21.1-bookworm-slim
# Nothing is installed at run time.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* \
  && install -d -o node -g node -m 700 /data /enrolled
COPY --from=build /app /app
COPY docker /app/docker
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4723 SVC_DATA_DIR=/data
USER 1000:1000
EXPOSE 4723
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["node", "docker/health.mjs"]
CMD ["node", "dist/main.js"]
