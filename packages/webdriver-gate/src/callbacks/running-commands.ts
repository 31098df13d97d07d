import type { Caller } from '@svc/auth-core';

/** Command to which the automation server has not responded yet. */
export class RunningCommand {
  readonly sessionId: string;
  readonly caller: Caller | 'hub';
  /** Called once, when the command has ended. */
  onEnd: (() => void) | null = null;
  /** Neighbours in the linked list of `RunningCommands`, which alone may use them. */
  previous: RunningCommand | null = null;
  next: RunningCommand | null = null;
  isRunning = true;

  constructor(sessionId: string, caller: Caller | 'hub') {
    this.sessionId = sessionId;
    this.caller = caller;
  }
}

/**
 * Maximum number of running commands. Limits the memory for clients that pipeline commands, and for commands whose
 * responses never end.
 */
const MAX_COMMANDS = 10_000;

/**
 * Tracks the commands that run on this server, each with the caller for whom it was let through. Uses a linked list
 * because every command is added and removed, and with a `Set` that would take as long as the check of the command.
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

  /** Removes a command and calls its `onEnd`. Has no effect on a command that has already ended. */
  end(command: RunningCommand): void {
    if (!command.isRunning) return;
    command.isRunning = false;
    const { previous, next } = command;
    if (previous === null) this.#oldest = next;
    else previous.next = next;
    if (next === null) this.#newest = previous;
    else next.previous = previous;
    // Remove the references to the neighbours. The command log may keep this command in memory, and would otherwise
    // keep the neighbours too.
    command.previous = null;
    command.next = null;
    this.#count -= 1;
    command.onEnd?.();
  }

  /**
   * Returns the running commands of a session, oldest first. Searches all commands, so it is too slow to be called for
   * every command.
   */
  of(sessionId: string): RunningCommand[] {
    const found: RunningCommand[] = [];
    for (let each = this.#oldest; each !== null; each = each.next) {
      if (each.sessionId === sessionId) found.push(each);
    }
    return found;
  }

  /**
   * Ends the older half of the commands of the session that has the most, so that no session can cause the commands of
   * another session to be ended.
   */
  #endOlderHalfOfMost(): void {
    const counts = new Map<string, number>();
    for (let each = this.#oldest; each !== null; each = each.next) {
      counts.set(each.sessionId, (counts.get(each.sessionId) ?? 0) + 1);
    }
    const [[sessionId, count] = ['', 0]] = [...counts].sort(([, a], [, b]) => b - a);
    for (const command of this.of(sessionId).slice(0, Math.ceil(count / 2))) this.end(command);
  }
}
