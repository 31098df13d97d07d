// Refuses words in comments and Markdown that a reader who has not seen the code would have to read twice, and titles
// of tests that cannot be understood without their `describe`.
// Without arguments it checks ROOMS; otherwise the files and folders given.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { proseOf, withoutMarkers } from './lib/prose.mjs';
import { root } from './lib/run.mjs';
import { testTitles } from './lib/test-titles.mjs';

/** Folders and files that this script checks by default. Add a folder when it passes. */
const ROOMS = [
  '.changeset/README.md',
  '.dependency-cruiser.cjs',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'apps/api',
  'apps/appium-plugin',
  'apps/cli',
  'apps/dashboard',
  'apps/docs',
  'apps/entrance',
  'apps/lab',
  'bench',
  'clients/java',
  'clients/python',
  'docs',
  'packages/accounts',
  'packages/auth-core',
  'packages/client',
  'packages/contract',
  'packages/data-folder',
  'packages/device-lab',
  'packages/mcp',
  'packages/module',
  'packages/nodes',
  'packages/outbound',
  'packages/previews',
  'packages/recordings',
  'packages/settings',
  'packages/store-sqlite',
  'packages/telemetry',
  'packages/webdriver-gate',
  'packages/webhooks',
  'scripts',
  'tests',
  'vitest.config.ts',
];

/** Files that are not checked: the list of clauses quotes the specification, and the change log describes the past. */
const LEFT_OUT = /^(?:docs\/spec-map\.md|CHANGELOG\.md)$/;
const READ = /\.(?:tsx?|mjs|py|java|md)$/;

const BE = '(?:is|are|was|were|be|been|being)';
const RULES = [
  [/whoever/, 'name who it is: the caller, the client, anyone who …'],
  [/nobody/, 'say "no client", "no one" or "not … any"'],
  [/anew/, 'say "again", or what is created'],
  [/at once/, 'say "immediately", "in one call" or "at the same time"'],
  [/by (?:itself|themselves)/, 'say "automatically" or "alone"'],
  [/for so long/, 'name the time'],
  [/as (?:it is|they are|it was|they were)(?=\s*(?:[.,;:)]|$))/, 'say "unchanged"'],
  [/told(?! apart\b)/, 'say who receives what: "gets", "is notified", "the response says"'],
  [new RegExp(`${BE} (?:not |never |only )?asked(?! to\\b)`), 'say "queried", "requested" or "checked"'],
  [/(?:un)?heard/, 'say "reported", "received" or "seen"'],
  [/(?:stands?|stood)(?! for\b)/, 'say "is stored", "is listed" or "is"'],
  [/bears?|borne/, 'say "allows", "accepts" or "withstands"'],
  [/(?:goes|go|went) before/, 'say "precedes" or "has priority over"'],
  [new RegExp(`${BE} no more(?! than\\b)`), 'say "no longer exists" or "has ended"'],
  [/dear(?:er)?/, 'say "expensive"'],
  [/strangers?/, 'say "unauthenticated client"'],
  [/(?:null|undefined|true|false|none):(?=\s)/, 'say "@returns … or undefined if …", or "null if …"'],
].map(([pattern, hint]) => ({
  pattern: new RegExp(`(?<![\\w-])(?:${pattern.source.replaceAll(' ', '\\s+')})(?![\\w-])`, 'gim'),
  hint,
}));
RULES.push({
  pattern: /\/\*\*\s+(?:Of|Before (?:it|that))(?=[ :])/g,
  hint: 'begin the comment with the thing that it documents',
});

const TEST_FILE = /\.test\.tsx?$|\/testing\//;
const WITHOUT_SUBJECT = [
  'about above across after against along among around as at before behind below beneath beside between beyond by',
  'despite during except for from in inside into of on onto outside over since through throughout till to toward',
  'towards under until unlike upon via with within without',
  'that what whatever when whenever where wherever whether which whichever who whoever whom whose while',
  'and but nor or',
].flatMap((words) => words.split(' '));
/** Verbs in lower case, which `GET` is not. Verbs that are also plural nouns, such as `lists`, are left out. */
const VERBS = [
  'is are was were be been has have had does do did can cannot may might must will would should never always adds acts',
  'activates allows arrives asks ask authenticates becomes begins begin belongs belong brings bring carries chooses',
  'closes comes come commits compares connects continues decodes deletes describes drives empties evicts fails fail',
  'fetches fills finds find follows forgets forwards frees gets get gives give goes go guards hears hides ignores',
  'inherits keeps knows lasts learns leaves leave lets let loses lose makes make misses outlives polls prefers prints',
  'puts put quotes reaches refuses refuse removes repeats replaces says say saves sees sends send serves skips speaks',
  'spends stands stays stay succeeds survives takes take tells tell trims warns weakens works writes write yields',
].flatMap((words) => words.split(' '));
/** The first words of a title that begins with one of these, after a clause. */
const FRAGMENTS = [
  [WITHOUT_SUBJECT, 'i'],
  [VERBS, ''],
].map(
  ([words, flags]) =>
    new RegExp(`(?<=^(?:\\([^()]*\\) )?)(?:${words.join('|')})(?![\\w-])\\S*(?: \\S+){0,3}`, flags),
);

const paths = process.argv.length > 2 ? process.argv.slice(2) : ROOMS.map((room) => root + room);
const files = [...new Set(paths.flatMap(filesAt))];
const found = files.flatMap(findingsIn);
for (const { file, line, words, hint } of found) console.error(`${file}:${line}: "${words}": ${hint}`);
console.log(`Words to replace: ${found.length}, in ${files.length} files checked`);
if (found.length > 0) process.exitCode = 1;

function filesAt(path) {
  if (!existsSync(path)) throw new Error(`${path} does not exist. Correct ROOMS, or give another path.`);
  return statSync(path).isDirectory() ? filesBelow(path) : [path];
}

/** @returns the files of the folder that Git tracks or would add */
function filesBelow(folder) {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--full-name'], {
    cwd: folder,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => READ.test(file) && !LEFT_OUT.test(file) && existsSync(root + file))
    .map((file) => root + file);
}

function findingsIn(file) {
  const text = readFileSync(file, 'utf8');
  return [...wordsIn(file, text), ...titlesIn(file, text)]
    .map(({ at, words, hint }) => ({
      file: file.replace(root, ''),
      line: text.slice(0, at).split('\n').length,
      words: words.trim().replace(/\s+/g, ' '),
      hint,
    }))
    .sort((one, other) => one.line - other.line);
}

function wordsIn(file, text) {
  // Parsing takes seconds for the whole tree, so a file is parsed only if it has such words in code or comments.
  const unparsed = withoutMarkers(text);
  const rules = RULES.filter(({ pattern }) => unparsed.search(pattern) >= 0);
  if (rules.length === 0) return [];
  const prose = proseOf(file, text);
  return rules.flatMap(({ pattern, hint }) =>
    [...prose.matchAll(pattern)].map(({ index, 0: words }) => ({ at: index, words, hint })),
  );
}

function titlesIn(file, text) {
  if (!TEST_FILE.test(file)) return [];
  return testTitles(file, text).flatMap(({ at, title }) => {
    const [words] = FRAGMENTS.flatMap((fragment) => fragment.exec(title)?.[0] ?? []);
    return words === undefined
      ? []
      : [{ at, words, hint: 'begin the title with its subject and add a verb' }];
  });
}
