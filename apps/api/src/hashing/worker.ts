import { setPriority } from 'node:os';
import bcrypt from 'bcryptjs';

type Task =
  | { kind: 'hash'; password: string; cost: number }
  | { kind: 'matches'; password: string; hash: string; workCost: number };

giveWay();

/**
 * Requests take precedence over hashing when the processors are busy. On Linux the priority applies to this thread;
 * elsewhere it would apply to the whole process.
 */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(5);
  } catch {
    // A sandbox may forbid it. Hashing works without it.
  }
}

/** Runs in a worker thread, because one comparison at cost 12 takes a quarter of a second. */
export default function run(task: Task): string | boolean {
  if (task.kind === 'hash') return bcrypt.hashSync(task.password, task.cost);
  const cost = bcrypt.getRounds(task.hash);
  const matches = bcrypt.compareSync(task.password, task.hash);
  // 2^c + 2^c + 2^(c+1) + … + 2^(w-1) = 2^w, which is the work of one comparison at `workCost`.
  for (let more = cost; more < task.workCost; more++) {
    bcrypt.compareSync(
      task.password,
      task.hash.replace(/^(\$2.\$)\d\d/, `$1${String(more).padStart(2, '0')}`),
    );
  }
  return matches;
}
