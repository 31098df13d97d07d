// Adds up the test reports of a folder and prints `N passed, N failed` as the last line.
// A failed step, a test file that could not run and a run that ended badly for another reason count as one each.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [folder, failedSteps] = process.argv.slice(2);
let passed = 0;
let failed = Number(failedSteps);

for (const file of readdirSync(folder).filter((name) => name.endsWith('.status'))) {
  const status = Number(readFileSync(join(folder, file), 'utf8'));
  const report = readReport(join(folder, `${basename(file, '.status')}.json`));
  passed += report.passed;
  failed += report.failed === 0 && status !== 0 ? 1 : report.failed;
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function readReport(file) {
  if (!existsSync(file)) return { passed: 0, failed: 0 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const broken = report.testResults.filter(
    (result) =>
      result.status === 'failed' && !result.assertionResults.some((test) => test.status === 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
}
