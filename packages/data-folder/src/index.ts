// The files of a server's data folder.
//
// `keys/` stores, locks and rotates the signing keys, `backup/` makes, checks and restores backups. The other files are the
// lock of a running server, the files of the app library and the names of all files.
//
// Not here: the database (store-sqlite), the content of recordings (recordings), and how a token is signed (auth-core).

export { AppFolder } from './app-files.ts';
export { type Backup, listBackups, pruneBackups, verifyBackup } from './backup/backups.ts';
export { readKeyFiles } from './backup/key-copies.ts';
export { keyMismatch } from './backup/key-mismatch.ts';
export { type BackupRequest, makeBackup, stampOf } from './backup/make-backup.ts';
export { MANIFEST, readManifest } from './backup/manifest.ts';
export { canOthersRead } from './backup/private-modes.ts';
export { decideRestore, finishRestore, isRestorePending, restoreBackup } from './backup/restore.ts';
export { UpgradeGuard, upgradeMarker } from './backup/upgrade-guard.ts';
export type { DataPlace } from './data-place.ts';
export { appFolder, auditKeyFile, keyFilesIn, recordingFolder } from './file-names.ts';
export { KeyFiles } from './keys/key-files.ts';
export { KeyKeeper } from './keys/key-keeper.ts';
export { withKeyLock } from './keys/key-lock.ts';
export { advance, announceNext, dropAll } from './keys/rotation.ts';
export { ServerLock } from './server-lock.ts';
export { isNoRoom, startFailure } from './start-failure.ts';
