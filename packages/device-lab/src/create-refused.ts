/**
 * Why the lab starts no session: a limit of the lab (`session-limit`) or of the agent's token (`agent-limit`) is
 * reached, no port is free for a driver (`driver-port`), the app is not available to the session (`app`), or the client
 * sent a capability that only the lab decides on (`capability`).
 */
type CreateRefusalKind = 'session-limit' | 'agent-limit' | 'driver-port' | 'app' | 'capability';

/** Thrown if the lab starts no session for a reason that the client gets as the message. */
export class CreateRefused extends Error {
  readonly kind: CreateRefusalKind;

  constructor(kind: CreateRefusalKind, message: string) {
    super(message);
    this.name = 'CreateRefused';
    this.kind = kind;
  }

  /** Whether the client has to change its request. Otherwise the same request may work later. */
  get isOfRequest(): boolean {
    return this.kind === 'app' || this.kind === 'capability';
  }
}
