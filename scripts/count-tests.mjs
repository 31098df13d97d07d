// Adds up the test reports of a folder: names the skipped and the failed tests, then prints `N passed, N failed` as the
// last line. A failed step, a test file that could not run, and a run that failed for another reason count as one
// failure each.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

const [folder, failedSteps] = process.argv.slice(2);
const failures = Array.from({ length: Number(failedSteps) }, () => 'a step, see above');
const skipped = [];
let passed = 0;

for (const file of readdirSync(folder).filter((name) => name.endsWith('.status'))) {
  const run = basename(file, '.status');
  const status = Number(readFileSync(join(folder, file), 'utf8'));
  const report = readReport(join(folder, `${run}.json`));
  passed += report.passed;
  if (report.failed.length === 0 && status !== 0) report.failed.push(`ended with ${status}`);
  failures.push(...report.failed.map((title) => `${run}: ${title}`));
  skipped.push(...report.skipped.map((title) => `${run}: ${title}`));
}

// Print at most 40 skipped and 40 failed tests, so that the names stay within the last lines of a long output.
for (const test of skipped.slice(0, 40)) console.log(`skipped in ${test}`);
for (const failure of failures.slice(0, 40)) console.log(`failed in ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;

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
