import { setPriority } from 'node:os';
import bcrypt from 'bcryptjs';

type Task =
  | { kind: 'hash'; password: string; cost: number }
  | { kind: 'matches'; password: string; hash: string; workCost: number };

giveWay();

/**
 * Lowers the priority of this thread, so that requests have priority over hashing when the processors are busy. This is
 * done on Linux only, because on other systems it would apply to the whole process.
 */
function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(5);
  } catch {
    // Some sandboxes forbid this. Then the priority stays unchanged.
  }
}

/**
 * Hashes or compares a password. This runs in a worker thread, because one comparison at bcrypt cost 12 takes a quarter
 * of a second, in which the main thread could serve no requests.
 */
export default function run(task: Task): string | boolean {
  if (task.kind === 'hash') return bcrypt.hashSync(task.password, task.cost);
  const cost = bcrypt.getRounds(task.hash);
  const matches = bcrypt.compareSync(task.password, task.hash);
  // Repeats the comparison at higher costs until this check has taken as long as one comparison at `workCost`, so that
  // the time does not show whether an account exists: 2^c + 2^c + 2^(c+1) + … + 2^(w-1) = 2^w, where c is the cost of
  // the hash and w is `workCost`.
  for (let more = cost; more < task.workCost; more++) {
    bcrypt.compareSync(
      task.password,
      task.hash.replace(/^(\$2.\$)\d\d/, `$1${String(more).padStart(2, '0')}`),
    );
  }
  return matches;
}
