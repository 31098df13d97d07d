// Records 25 sessions at a time until it is killed. Prints `<session> <pictures>` whenever a reader of the session would see that
// many pictures, and `<session> done` when its recording is complete.
import { RecordingStore } from '../dist/storage/store.js';

const [, , root, first] = process.argv;
const store = new RecordingStore({
  root,
  now: Date.now,
  recordingBytes: 2 ** 30,
  allBytes: 2 ** 40,
  isKept: () => true,
  failed: ({ error }) => console.error(error),
  warned: (what, error) => console.error(what, error),
});
await store.start();
async function record(nth) {
  const session = `session-${nth}`;
  const live = store.begin(session, 'all', async () => null);
  for (let picture = 0; picture < 5; picture++) {
    const bytes = Buffer.alloc(1_000 + ((nth * 7_919 + picture * 104_729) % 40_000), picture + 1);
    bytes.set([0xff, 0xd8]);
    live.frame(bytes);
    live.line(`line ${picture}`);
    await live.evidence(`picture ${picture}`);
    process.stdout.write(
      `${session} ${live.writer.index.chunks.flatMap((chunk) => chunk.pictures).length}\n`,
    );
  }
  await store.finish(live, true);
  process.stdout.write(`${session} done\n`);
}

const AT_ONCE = 25;
for (let nth = Number(first); ; nth += AT_ONCE)
  await Promise.all(Array.from({ length: AT_ONCE }, (_, each) => record(nth + each)));
