import { ERROR_STATUS, type ErrorCode } from '@svc/contract';
import { type Labels, LatencyHistogram, REQUEST_SECONDS } from '@svc/module';

/** Number and duration of the requests to one route. */
export class RouteMeasures {
  readonly labels: Labels;
  readonly seconds = new LatencyHistogram(REQUEST_SECONDS);
  /** Number of responses by status. */
  readonly answers = new Map<number, number>();

  constructor(labels: Labels) {
    this.labels = labels;
  }

  answered(status: number, seconds: number): void {
    this.seconds.add(seconds);
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1);
  }
}

/** HTTP statuses of responses that count as denied: not authenticated, not allowed, or too many requests. */
const DECIDED = new Set([401, 403, 429]);

/**
 * Counts of the API's requests since the server started. There is one count for each route and error code, so clients
 * cannot make this object grow.
 */
export class RequestMeasures {
  readonly routes: RouteMeasures[] = [];
  allowed = 0;
  unavailable = 0;
  readonly denied = new Map<ErrorCode, number>();

  /** Adds a route and returns its measurements. */
  of(method: string, route: string): RouteMeasures {
    const measures = new RouteMeasures({ method, route });
    this.routes.push(measures);
    return measures;
  }

  refused(code: ErrorCode): void {
    if (DECIDED.has(ERROR_STATUS[code])) this.denied.set(code, (this.denied.get(code) ?? 0) + 1);
  }
}
