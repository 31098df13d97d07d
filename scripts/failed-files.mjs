// Prints the test files of a report in which a test failed, one per line, each from the root of the tree in which it
// ran. Prints nothing if no test failed or there is no report.
import { existsSync, readFileSync } from 'node:fs';

const [file] = process.argv.slice(2);
if (existsSync(file)) {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  for (const name of new Set(failed)) console.log(name.replace(/^.*?\/(?=(?:apps|packages|tests)\/)/, ''));
}
