import type { TestProject } from 'vitest/node';
import { installJavaClient } from '../support/java-client.ts';
import { cleanUp } from '../support/programs.ts';
import { installPythonClient } from '../support/python-client.ts';

/** Runs once before all test files, which run in parallel. */
export default async function setup({ provide }: TestProject): Promise<void> {
  const [python] = await Promise.all([installPythonClient(), installJavaClient()]);
  provide('python', python);
  cleanUp();
}
