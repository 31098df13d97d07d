/**
 * Lowest supported minor release of each major release of Node.js that is only partly supported (specification 9.2).
 */
const LEAST_MINOR: Readonly<Record<number, number>> = { 20: 19, 22: 12 };
const FIRST_WHOLE_MAJOR = 24;

/**
 * Checks the release of Node.js.
 * @throws Error if svc does not support the release
 */
export function refuseOldNode(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const least = LEAST_MINOR[major];
  if (major >= FIRST_WHOLE_MAJOR || (least !== undefined && minor >= least)) return;
  throw new Error(
    `This is Node.js ${version}; svc needs 20.19 or a later 20, 22.12 or a later 22, or 24 or later. Nothing was started.`,
  );
}
