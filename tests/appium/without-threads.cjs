// Preload that imitates a host that cannot start threads, which hash passwords.
if (!require('node:worker_threads').isMainThread) throw new Error('no threads here');
