import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type RunningCommand, RunningCommands } from '../src/callbacks/running-commands.ts';

it('commands run from their begin to their end, in whatever order they end', () => {
  const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b'), fc.nat({ max: 20 })), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const running = new RunningCommands();
      const begun: RunningCommand[] = [];
      const ended = new Set<RunningCommand>();
      let calls = 0;
      for (const step of all) {
        if (typeof step === 'string') {
          const command = running.begin(step, 'hub');
          command.onEnd = () => calls++;
          begun.push(command);
        } else if (begun[step] !== undefined) {
          running.end(begun[step]);
          ended.add(begun[step]);
        }
        for (const id of ['a', 'b']) {
          const expected = begun.filter((each) => each.sessionId === id && !ended.has(each));
          expect(running.of(id)).toEqual(expected);
        }
      }
      expect(calls).toBe(ended.size);
    }),
  );
});
