import type { Caller } from '@svc/auth-core';

/** Command to which the automation server has not responded yet. */
export class RunningCommand {
  readonly sessionId: string;
  readonly caller: Caller | 'hub';
  /** Called once, when the command has ended. */
  onEnd: (() => void) | null = null;
  /** Neighbours in the linked list of `RunningCommands`. Only that class uses them. */
  previous: RunningCommand | null = null;
  next: RunningCommand | null = null;
  isRunning = true;

  constructor(sessionId: string, caller: Caller | 'hub') {
    this.sessionId = sessionId;
    this.caller = caller;
  }
}

/**
 * Maximum number of tracked commands. Without this limit, clients that send many commands in parallel, or commands
 * whose responses never end, could fill the memory.
 */
const MAX_COMMANDS = 10_000;

/**
 * Tracks the commands that run on this server and their callers. Uses a linked list, because adding a command to a
 * `Set` and removing it would take as long as checking the command's credentials.
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

  /** Stops tracking a command and calls its `onEnd`. Has no effect on a command that has already ended. */
  end(command: RunningCommand): void {
    if (!command.isRunning) return;
    command.isRunning = false;
    const { previous, next } = command;
    if (previous === null) this.#oldest = next;
    else previous.next = next;
    if (next === null) this.#newest = previous;
    else next.previous = previous;
    // Remove the references to the neighbours. Otherwise, as long as the command log still refers to this command, the
    // neighbours could not be freed either.
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
   * Called when there are too many commands. Finds the session with the most commands and stops tracking the older half
   * of them, so that one session cannot displace the commands of others.
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
