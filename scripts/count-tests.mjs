// Adds up the test reports of a folder: names the skipped, the unsteady and the failed tests, then prints
// `N passed, N failed` as the last line. A failed step, a test file that could not run, and a run that failed for
// another reason count as one failure each. A test is unsteady if it failed in a run and its file passed when it ran
// once more, alone (`.ci/run`); each unsteady test is a fault of the test or of the project, to be found and mended.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const [folder, failedSteps] = process.argv.slice(2);
const failures = Array.from({ length: Number(failedSteps) }, () => 'a step, see above');
const unsteady = [];
const skipped = [];
let passed = 0;

const runs = readdirSync(folder).filter(
  (name) => name.endsWith('.status') && !name.endsWith('-again.status'),
);
for (const file of runs) {
  const run = basename(file, '.status');
  const report = readReport(join(folder, `${run}.json`));
  const hasFailed = statusOf(file) !== 0;
  passed += report.passed;
  if (report.failed.length === 0 && hasFailed) failures.push(`${run}: ended with an error, see above`);
  const passedAgain = report.failed.length > 0 && statusOf(`${run}-again.status`) === 0;
  if (passedAgain) passed += report.failed.length;
  (passedAgain ? unsteady : failures).push(...report.failed.map((title) => `${run}: ${title}`));
  skipped.push(...report.skipped.map((title) => `${run}: ${title}`));
}

// Print at most 40 skipped and 40 failed tests, so that the names stay within the last lines of a long output.
for (const test of skipped.slice(0, 40)) console.log(`skipped in ${test}`);
for (const test of unsteady) console.log(`unsteady in ${test}`);
for (const failure of failures.slice(0, 40)) console.log(`failed in ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;

/** @returns the exit code of a run, or undefined if it did not run */
function statusOf(name) {
  const file = join(folder, name);
  return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
}

function readReport(file) {
  if (!existsSync(file)) return { passed: 0, failed: [], skipped: [] };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: report.numPassedTests,
    failed: report.testResults.flatMap(failuresOf),
    skipped: report.testResults.flatMap(skippedOf),
  };
}

function failuresOf(result) {
  const file = relative(process.cwd(), result.name);
  const failed = result.assertionResults.filter((test) => test.status === 'failed');
  if (failed.length === 0) return result.status === 'failed' ? [`${file}: ${firstLine(result.message)}`] : [];
  return failed.map((test) => `${file}: ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`);
}

function skippedOf(result) {
  const skipped = result.assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed');
  return skipped.map((test) => `${relative(process.cwd(), result.name)}: ${test.fullName}`);
}

function firstLine(text) {
  return String(text ?? '')
    .split('\n', 1)[0]
    .slice(0, 300);
}
