import { cpSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ran, run } from './programs.ts';

/** The sources of the Java client. */
export const JAVA_CLIENT = fileURLToPath(new URL('../../clients/java/', import.meta.url));
const { version }: { version: string } = createRequire(import.meta.url)('../package.json');
export const JAR = join('target', `appium-svc-client-${version}.jar`);

/** Options for a Java process that starts quickly and ends soon. */
const SHORT = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

/** Runs Maven, which prints only errors. */
export const maven = (
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> =>
  run('mvn', ['--quiet', '--batch-mode', '-Dstyle.color=never', `-DargLine=${SHORT}`, ...args], {
    cwd,
    env: { MAVEN_OPTS: SHORT, ...env },
  });

/** Copies the sources of the Java client to another folder. */
export function copyJavaClient(folder: string): void {
  for (const part of ['pom.xml', 'LICENSE', 'src']) {
    cpSync(join(JAVA_CLIENT, part), join(folder, part), { recursive: true });
  }
}

/** Installs the Java client with the commands at the beginning of its page. */
export async function installJavaClient(): Promise<void> {
  const { code, output } = await maven(JAVA_CLIENT, ['install', '-DskipTests']);
  if (code !== 0) throw new Error(`clients/java does not build:\n${output}`);
}
