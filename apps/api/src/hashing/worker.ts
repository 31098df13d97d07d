import bcrypt from 'bcryptjs';

type Task =
  | { kind: 'hash'; password: string; cost: number }
  | { kind: 'matches'; password: string; hash: string };

/** Runs in a worker thread: one comparison at cost 12 is a quarter of a second of pure computing. */
export default function run(task: Task): string | boolean {
  return task.kind === 'hash'
    ? bcrypt.hashSync(task.password, task.cost)
    : bcrypt.compareSync(task.password, task.hash);
}
