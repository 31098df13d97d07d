import { fileURLToPath } from 'node:url';

/**
 * Thrown if better-sqlite3 is installed without its native binary, for example because npm was not allowed to run its
 * install script.
 */
export class NativeCodeMissing extends Error {
  constructor(cause: unknown) {
    super(
      `better-sqlite3 has no binary for this Node.js (${process.version}, ${process.platform} ${process.arch}). Run ` +
        `\`npm rebuild --ignore-scripts=false better-sqlite3\` in ${installedIn()}`,
      { cause },
    );
    this.name = 'NativeCodeMissing';
  }
}

/**
 * Checks whether better-sqlite3 failed to load because its binary is missing or was built for another Node.js release.
 */
export function isNativeCodeMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ERR_DLOPEN_FAILED' || error.message.startsWith('Could not locate the bindings file');
}

/** @returns the folder above the `node_modules` in which better-sqlite3 is installed */
function installedIn(): string {
  const [folder = '.'] = fileURLToPath(import.meta.resolve('better-sqlite3')).split(
    /[\\/]node_modules[\\/]better-sqlite3[\\/]/,
  );
  return folder;
}
