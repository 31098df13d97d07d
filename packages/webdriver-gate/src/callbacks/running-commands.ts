import type { Caller } from '@svc/auth-core';

/** A command that the automation server has not answered yet. */
export class RunningCommand {
  readonly sessionId: string;
  readonly caller: Caller | 'hub';
  /** Called once, when the command has ended. */
  onEnd: (() => void) | null = null;
  /** The neighbours in the list of running commands, for `RunningCommands` only. */
  previous: RunningCommand | null = null;
  next: RunningCommand | null = null;
  isRunning = true;

  constructor(sessionId: string, caller: Caller | 'hub') {
    this.sessionId = sessionId;
    this.caller = caller;
  }
}

/** Limits clients that pipeline commands, and commands whose responses never end. */
const MAX_COMMANDS = 10_000;

/**
 * The commands that run on this server, each with the caller it was allowed for. A linked list, because every command is
 * added and removed: both cost a few assignments here, and with a `Set` as much as the check of the command.
 */
export class RunningCommands {
  #oldest: RunningCommand | null = null;
  #newest: RunningCommand | null = null;
  #count = 0;

  begin(sessionId: string, caller: Caller | 'hub'): RunningCommand {
    const command = new RunningCommand(sessionId, caller);
    command.previous = this.#newest;
    if (this.#newest === null) this.#oldest = command;
    else this.#newest.next = command;
    this.#newest = command;
    this.#count += 1;
    if (this.#count > MAX_COMMANDS) this.#endOlderHalfOfMost();
    return command;
  }

  /** Ending a command that has ended has no effect. */
  end(command: RunningCommand): void {
    if (!command.isRunning) return;
    command.isRunning = false;
    const { previous, next } = command;
    if (previous === null) this.#oldest = next;
    else previous.next = next;
    if (next === null) this.#newest = previous;
    else next.previous = previous;
    // The log may keep the command in memory, and must not keep its neighbours with it.
    command.previous = null;
    command.next = null;
    this.#count -= 1;
    command.onEnd?.();
  }

  /** Searches all commands, oldest first. Too slow to be called for every command. */
  of(sessionId: string): RunningCommand[] {
    const found: RunningCommand[] = [];
    for (let each = this.#oldest; each !== null; each = each.next) {
      if (each.sessionId === sessionId) found.push(each);
    }
    return found;
  }

  /** Ends commands of the session that has the most, so that no session can end the commands of another one. */
  #endOlderHalfOfMost(): void {
    const counts = new Map<string, number>();
    for (let each = this.#oldest; each !== null; each = each.next) {
      counts.set(each.sessionId, (counts.get(each.sessionId) ?? 0) + 1);
    }
    const [[sessionId, count] = ['', 0]] = [...counts].sort(([, a], [, b]) => b - a);
    for (const command of this.of(sessionId).slice(0, Math.ceil(count / 2))) this.end(command);
  }
}
