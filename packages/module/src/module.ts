import type { Handlers } from './handlers.ts';
import type { Metric } from './metric.ts';
import type { Schedule } from './schedules.ts';

/** A subject that is open in this process. */
export interface Module<Offers> {
  /** What other modules and the API may use. */
  readonly offers: Offers;
  readonly handlers: Handlers;
  /** Not started yet. The server starts them when all modules are open, and stops them before it closes a module. */
  readonly schedules: readonly Schedule[];
  readonly metrics: readonly Metric[];
  /** Ends what would delay the stop of the HTTP server, such as streams and requests that wait. */
  disconnect?(): void;
  close(): Promise<void>;
}
