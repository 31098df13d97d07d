import { createServer, type Server, type Socket } from 'node:net';
import { AdbForwards } from './adb-forwards.ts';
import { framed, PROTOCOL_VERSION, RequestReader } from './adb-protocol.ts';
import type { AndroidPhone, PhoneState } from './android-phone.ts';
import { openService } from './services.ts';

/** A phone that is plugged in. */
interface Plugged {
  readonly phone: AndroidPhone;
  /** Id of the connection, which differs each time the phone is plugged in. */
  readonly transport: number;
  state: PhoneState;
  /** Connections to services of the phone. */
  readonly sockets: Set<Socket>;
}

interface Follower {
  readonly socket: Socket;
  readonly isLong: boolean;
}

/** What a connection has selected with `host:transport`. */
interface Session {
  plugged: Plugged | undefined;
}

/** Without `stat_v2` and the like, adb uses the first version of the file protocol. */
const FEATURES = 'cmd,shell_v2';
const LIST = /^host:(track-)?devices(-l)?$/;
const SELECT = /^host:(transport|tport)(?::(?:serial:)?|-)(id:)?(.+)$/;
const OF_PHONE =
  /^host(?:-(serial|transport-id):(.+?)|-usb|-local)?:(features|get-.+|wait-for-.+|forward:.+|killforward.*|list-forward)$/s;
const FORWARD = /^forward:(norebind:)?tcp:(\d+);(.+)$/;

/** A scripted adb server with phones that are plugged in and unplugged. It follows adb 1.0.41, which is also Debian's. */
export class AdbServer {
  /** Every request so far. A request to a service of a phone follows the serial. */
  readonly requests: string[] = [];
  /** How often a client asked the server to end. It continues, as if a supervisor restarted it. */
  kills = 0;
  readonly #plugged = new Map<string, Plugged>();
  readonly #forwards = new AdbForwards((serial, service, socket) => this.#open(serial, service, socket));
  readonly #followers = new Set<Follower>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #lastTransport = 0;
  #port = 0;

  get port(): number {
    return this.#port;
  }

  /** @param port port of loopback, or 0 for any free port */
  async start(port = this.#port): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket));
    await new Promise<void>((listens, failed) =>
      server.once('error', failed).listen(port, '127.0.0.1', listens),
    );
    this.#port = (server.address() as { port: number }).port;
    this.#server = server;
  }

  /** Ends all connections and forwards. The phones stay plugged in, so that `start` lists them again. */
  async stop(): Promise<void> {
    this.#forwards.removeAll(undefined, true);
    for (const { phone } of this.#plugged.values()) phone.stopInstrumentation();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server?.close(closed) ?? closed(undefined));
  }

  /** Plugs a phone in with a new transport id, or changes the state of one that is plugged in. */
  plug(phone: AndroidPhone, state: PhoneState = 'device'): void {
    this.unplug(phone.serial);
    this.#lastTransport += 1;
    this.#plugged.set(phone.serial, { phone, transport: this.#lastTransport, state, sockets: new Set() });
    this.#announce();
  }

  setState(serial: string, state: PhoneState): void {
    const plugged = this.#plugged.get(serial);
    if (plugged === undefined) throw new Error(`${serial} is not plugged in`);
    plugged.state = state;
    if (state !== 'device') this.#cut(plugged);
    this.#announce();
  }

  /** Unplugs a phone, which ends its connections, its forwards and the programs that run on it. */
  unplug(serial: string): void {
    const plugged = this.#plugged.get(serial);
    if (plugged === undefined) return;
    this.#plugged.delete(serial);
    this.#cut(plugged);
    this.#announce();
  }

  isPlugged(serial: string): boolean {
    return this.#plugged.has(serial);
  }

  /** @returns the forwards as `adb forward --list` prints them */
  forwards(): string {
    return this.#forwards.list();
  }

  #cut({ phone, sockets }: Plugged): void {
    this.#forwards.removeAll(phone.serial, true);
    for (const socket of sockets) socket.destroy();
    phone.stopInstrumentation();
  }

  #list(isLong: boolean): string {
    return [...this.#plugged.values()]
      .map(({ phone, state, transport }) => {
        if (!isLong) return `${phone.serial}\t${state}\n`;
        const { model } = phone.facts;
        const details = state === 'device' ? ` product:scripted model:${model} device:scripted` : '';
        return `${phone.serial.padEnd(22)} ${state}${details} transport_id:${transport}\n`;
      })
      .join('');
  }

  #announce(): void {
    for (const { socket, isLong } of this.#followers) socket.write(framed(this.#list(isLong)));
  }

  #serve(socket: Socket): void {
    socket.setNoDelay(true).on('error', () => undefined);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const reader = new RequestReader();
    const session: Session = { plugged: undefined };
    const onData = (bytes: Buffer) => {
      reader.push(bytes);
      for (let request = reader.next(); request !== undefined; request = reader.next()) {
        const { plugged } = session;
        if (plugged === undefined || request.startsWith('host:')) {
          this.requests.push(request);
          this.#answer(request, socket, session);
          continue;
        }
        this.requests.push(`${plugged.phone.serial} ${request}`);
        socket.off('data', onData).pause();
        const rest = reader.rest();
        if (rest.length > 0) socket.unshift(rest);
        socket.write('OKAY');
        if (!this.#open(plugged.phone.serial, request, socket)) socket.destroy();
        else socket.resume();
        return;
      }
    };
    socket.on('data', onData);
  }

  /** Opens a service of a phone. @returns false if the phone is not usable or has no such service */
  #open(serial: string, service: string, socket: Socket): boolean {
    const plugged = this.#plugged.get(serial);
    if (plugged?.state !== 'device' || !openService(plugged.phone, service, socket)) return false;
    plugged.sockets.add(socket);
    socket.once('close', () => plugged.sockets.delete(socket));
    return true;
  }

  #answer(request: string, socket: Socket, session: Session): void {
    const [, follows, long] = LIST.exec(request) ?? [];
    if (follows !== undefined) this.#follow({ socket, isLong: long !== undefined });
    else if (LIST.test(request)) socket.end(okay(this.#list(long !== undefined)));
    else if (request === 'host:kill') this.#kill(socket);
    else if (SELECT.test(request)) this.#select(request, socket, session);
    else if (request === 'host:version') socket.end(okay(PROTOCOL_VERSION));
    else if (request === 'host:host-features') socket.end(okay(FEATURES));
    else if (request.startsWith('host:reconnect')) socket.end(okay(''));
    else if (request === 'host:list-forward') socket.end(okay(this.#forwards.list()));
    else if (request === 'host:killforward-all') {
      this.#forwards.removeAll();
      socket.end('OKAYOKAY');
    } else void this.#answerForPhone(request, session).then((answer) => socket.end(answer));
  }

  #follow(follower: Follower): void {
    follower.socket.write(okay(this.#list(follower.isLong)));
    this.#followers.add(follower);
    follower.socket.once('close', () => this.#followers.delete(follower));
    follower.socket.once('end', () => follower.socket.destroy());
  }

  #kill(socket: Socket): void {
    this.kills += 1;
    this.#forwards.removeAll(undefined, true);
    socket.end('OKAY');
    for (const each of this.#sockets) if (each !== socket) each.destroy();
  }

  #select(request: string, socket: Socket, session: Session): void {
    const [, kind, isId, name = ''] = SELECT.exec(request) ?? [];
    const plugged = /^(?:any|usb|local)$/.test(name) ? this.#any() : this.#find(name, isId !== undefined);
    if (plugged?.state !== 'device') {
      socket.end(refusal(plugged === undefined ? `device '${name}' not found` : `device ${plugged.state}`));
      return;
    }
    session.plugged = plugged;
    const id = Buffer.alloc(8);
    id.writeUInt32LE(plugged.transport);
    socket.write(kind === 'tport' ? Buffer.concat([Buffer.from('OKAY'), id]) : 'OKAY');
  }

  /** @returns the answer to a request about one phone, after which the server closes the connection */
  async #answerForPhone(request: string, session: Session): Promise<string> {
    const [, kind, name = '', what] = OF_PHONE.exec(request) ?? [];
    if (what === undefined) return refusal(`unknown host service '${request}'`);
    const selected = session.plugged ?? this.#any();
    const plugged = kind === undefined ? selected : this.#find(name, kind === 'transport-id');
    if (plugged === undefined) return refusal(`device '${name}' not found`);
    const { serial } = plugged.phone;
    if (what === 'get-state') return okay(plugged.state);
    if (what.startsWith('wait-for-')) return 'OKAYOKAY';
    if (plugged.state !== 'device') return refusal(`device ${plugged.state}`);
    if (what === 'features') return okay(FEATURES);
    if (what === 'get-serialno') return okay(serial);
    if (what === 'list-forward') return okay(this.#forwards.list(serial));
    if (what.startsWith('forward:')) return this.#forward(serial, what);
    return this.#killForward(serial, what);
  }

  /** The first `OKAY` of an answer about a forward says that the phone was found. */
  async #forward(serial: string, request: string): Promise<string> {
    const [, isNew, local, remote] = FORWARD.exec(request) ?? [];
    if (remote === undefined) return `OKAY${refusal(`unknown forward '${request}'`)}`;
    try {
      const port = await this.#forwards.add(serial, Number(local), remote, isNew !== undefined);
      return `OKAYOKAY${local === '0' ? framed(String(port)) : ''}`;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'EADDRINUSE' ? 'Address already in use' : message;
      return `OKAY${refusal(`cannot bind listener: ${reason}`)}`;
    }
  }

  #killForward(serial: string, request: string): string {
    if (request === 'killforward-all') {
      this.#forwards.removeAll(serial);
      return 'OKAYOKAY';
    }
    const local = /^killforward:tcp:(\d+)$/.exec(request)?.[1];
    if (local !== undefined && this.#forwards.remove(Number(local))) return 'OKAYOKAY';
    return `OKAY${refusal(`listener 'tcp:${local}' not found`)}`;
  }

  #find(name: string, isId: boolean): Plugged | undefined {
    if (!isId) return this.#plugged.get(name);
    return [...this.#plugged.values()].find(({ transport }) => String(transport) === name);
  }

  #any(): Plugged | undefined {
    return [...this.#plugged.values()][0];
  }
}

function okay(text: string): string {
  return `OKAY${framed(text)}`;
}

function refusal(reason: string): string {
  return `FAIL${framed(reason)}`;
}
