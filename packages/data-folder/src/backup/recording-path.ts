const PATH = /^recordings\/[0-9a-f]{32}\/(?:(?:chunk|log)-\d{6,9}\.rec|pictures\.json|recording\.json)$/;

/** Checks whether a path in a backup is that of a file of a recording. */
export function isRecordingPath(path: string): boolean {
  return PATH.test(path);
}
