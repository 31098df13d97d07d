// Tries to take a lock and holds it until the process is killed: `node lock.mjs <file>`. Prints `held` or `refused`.
import { takeProcessLock } from '@svc/store-sqlite';

const lock = takeProcessLock(process.argv[2]);
lock?.describe({ pid: process.pid, address: '127.0.0.1:4723' });
process.stdout.write(lock === null ? 'refused\n' : 'held\n');
if (lock !== null) setInterval(() => undefined, 60_000);
