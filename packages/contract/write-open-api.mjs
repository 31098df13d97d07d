// Writes dist/openapi.json after the build. The server sends it unchanged.
import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from './dist/open-api/document.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
writeFileSync(new URL('dist/openapi.json', import.meta.url), JSON.stringify(openApiDocument(version)));
