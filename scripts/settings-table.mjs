// Writes the part of docs/operations/settings.md below its heading `Accepted values` from the parser of the settings.
// Defaults and meanings above it are written by hand. With --check, it only reports whether the file is up to date.
// Needs a build.
import { readFileSync, writeFileSync } from 'node:fs';
import {
  optionName,
  Reader,
  readConfig,
  readEntranceSettings,
  readLabSettings,
  readListen,
} from '../packages/settings/dist/index.js';
import { root } from './lib/run.mjs';

const FILE = `${root}docs/operations/settings.md`;
/** Names that nothing uses have a page of their own. */
const KEPT = readFileSync(`${root}docs/names-kept.md`, 'utf8');
/** Example values of variables that must be set so that the parser also reads certain other variables. */
const REQUIRED_BY_OTHERS = {
  SVC_METRICS_ENDPOINT: 'http://collector.test',
  SVC_HUB_URL: 'https://hub.test',
  SVC_NODE_ACCESS_KEY: 'svc_x',
  SVC_NODE_TOKEN: 'svct_x',
  SVC_NODE_URL: 'http://node.test',
};

const reads = new Map();
const sources = {
  env: REQUIRED_BY_OTHERS,
  homeDir: '~',
  readFile: () => '',
  resolvePath: (...parts) => parts.join('/'),
  observe: (read) => reads.set(read.name, read),
};
readConfig(sources);
const ofService = new Set(reads.keys());
readListen(new Reader(sources));
readLabSettings(sources);
readEntranceSettings({ ...sources, env: { ...REQUIRED_BY_OTHERS, SVC_UPSTREAM: 'http://grid.test' } });

const schema = JSON.parse(readFileSync(`${root}apps/appium-plugin/schema.json`, 'utf8')).properties;
const rows = [...reads.values()]
  .filter(({ name }) => !KEPT.includes(`| \`${name}\``))
  .sort((one, other) => (one.name < other.name ? -1 : 1))
  .map(({ name, words, isSecret, isVital, isRequirement }) => [
    `\`${name}\``,
    words,
    optionOf(name, isSecret),
    isVital ? 'stops the start' : isRequirement ? 'warning, and off' : 'warning, and the default',
  ]);
const HEADING = '## Accepted values\n';
const [byHand] = readFileSync(FILE, 'utf8').split(HEADING);
const text = `${byHand}${HEADING}
Made by \`node scripts/settings-table.mjs\` from the parser. A set variable that begins with \`SVC_\` and is neither in this table nor [kept for compatibility](../names-kept.md#settings) gets a warning with the nearest name. \`svc doctor\` fails, instead of warning, if one of the two \`SVC_REQUIRE_*\` variables has an unusable value, or if a variable looks like a misspelling of one of them, of \`SVC_TRUSTED_PROXIES\` or of \`SVC_HUB_URL\`.

${table([['Variable', 'Value', 'Also given as', 'An unusable value'], ...rows])}
`;

if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('docs/operations/settings.md is out of date. Run: node scripts/settings-table.mjs');
  process.exitCode = 1;
}

function optionOf(name, isSecret) {
  if (isSecret) return `file: \`${name}_FILE\``;
  const option = optionName(name);
  return ofService.has(name) && option in schema ? `plugin option \`${option}\`` : '';
}

function table([head, ...body]) {
  const widths = head.map((_, at) => Math.max(...[head, ...body].map((row) => row[at].length)));
  const line = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
