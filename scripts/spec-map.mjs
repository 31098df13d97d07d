// Fills the last column of docs/spec-map.md from the clauses that test titles name: `… (spec 5.7.4)`, `… (contract 7)`.
// With --check, it only reports whether the file is up to date.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { root } from './lib/run.mjs';

const FILE = `${root}docs/spec-map.md`;
const NOT_YET = 'not yet';
const NOT_OURS = 'nothing to prove';
const BY_PARTS = 'its clauses below';

const ROW = /^\|\s*((?:spec|contract) [^|]+?)\s*\|\s*([^|]+?)\s*\|\s*([^|]*?)\s*\|$/;

const lines = readFileSync(FILE, 'utf8').split('\n');
const proofs = new Map(
  lines.flatMap((line) => namesOf(ROW.exec(line)?.[1])).map((name) => [name, new Set()]),
);
for (const [clause, files] of clausesNamedByTests()) {
  const row = rowOf(clause);
  if (row === undefined) console.error(`no row for ${clause}, named in ${[...files].join(', ')}`);
  else for (const file of files) proofs.get(row).add(file);
}

const filled = lines.map(withProof);
if (!process.argv.includes('--check')) writeFileSync(FILE, filled.join('\n'));
else if (filled.some((line, index) => line !== lines[index])) {
  console.error('docs/spec-map.md is behind the tests: node scripts/spec-map.mjs');
  process.exitCode = 1;
}

/** A row is `| clause | what it says | proof |`. Further names of a clause follow after a slash between spaces. */
function withProof(line) {
  const row = ROW.exec(line);
  if (row === null || row[3] === NOT_OURS) return line;
  const [, names, says] = row;
  const files = [...new Set(namesOf(names).flatMap((name) => [...proofs.get(name)]))].sort();
  const proof = files.length > 0 ? files.map(linked).join(', ') : isProvenByParts(names) ? BY_PARTS : NOT_YET;
  return `| ${names} | ${says} | ${proof} |`;
}

/**
 * Returns whether all rows below a heading are proven. A heading that no test names, such as `spec 5.9`, then counts as
 * proven.
 */
function isProvenByParts(names) {
  const [heading] = namesOf(names);
  const parts = lines.map((line) => ROW.exec(line)).filter((row) => row?.[1].startsWith(`${heading}.`));
  return parts.length > 0 && parts.every(([, part, , proof]) => proof === NOT_OURS || hasTests(part));
}

function hasTests(names) {
  return namesOf(names).some((name) => proofs.get(name).size > 0);
}

/** @returns the row of the clause, or the row with the longest name with which the clause begins */
function rowOf(clause) {
  const words = clause.split(' ');
  while (words.length > 1) {
    if (proofs.has(words.join(' '))) return words.join(' ');
    words.pop();
  }
  return undefined;
}

/** `spec 5.1.1 / 5.1` are two names of one clause of the specification. */
function namesOf(cell) {
  if (cell === undefined) return [];
  const [source] = cell.split(' ', 1);
  return cell
    .slice(source.length)
    .split(' / ')
    .map((name) => normal(source, name));
}

function normal(source, name) {
  return `${source} ${name.replace(/[,`]/g, ' ').trim().replace(/\s+/g, ' ').toLowerCase()}`;
}

function linked(file) {
  const name = file.replace(/^packages\//, '').replace(/(?:\.test)?\.ts$/, '');
  return `[${name}](../${file})`;
}

function clausesNamedByTests() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /\.test\.ts$|\/testing\/suite\//.test(file));
  const found = new Map();
  for (const file of files) {
    const titles = readFileSync(root + file, 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\*|\/\/|\/\*)/.test(line));
    for (const [, inside] of titles.join('\n').matchAll(/\(((?:spec(?:ification)?|contract) [^()\n]+)\)/g)) {
      for (const clause of clausesIn(inside)) {
        if (!found.has(clause)) found.set(clause, new Set());
        found.get(clause).add(file);
      }
    }
  }
  return found;
}

/** `spec 5.2.1, 7; contract 2, POST /apikeys` names three clauses: a number begins one, and other words continue it. */
function clausesIn(inside) {
  const clauses = [];
  let source = '';
  for (const part of inside.split(/[,;]\s*/)) {
    const [, word, rest] = /^(?:(spec(?:ification)?|contract)\s+)?(.*)$/.exec(part.trim());
    if (word !== undefined) source = word === 'contract' ? 'contract' : 'spec';
    if (word !== undefined || /^\d/.test(rest)) clauses.push(`${source} ${rest}`);
    else clauses.push(`${clauses.pop()} ${rest}`);
  }
  return clauses.map((clause) => normal(clause.split(' ', 1)[0], clause.slice(clause.indexOf(' '))));
}
