import { type RefusedService, type RemoteService, shownName } from './remote-service.ts';

/** Maximum size of a request (bytes), because adb writes the length in four hex digits. */
const LONGEST_REQUEST = 65_535;
const LONGEST_WORD = 64;

/** Services that run a command, whose first word is recorded. */
const COMMANDS = new Set(['shell', 'exec']);
const ALLOWED = new Set([
  ...COMMANDS,
  ...['sync', 'tcp', 'local', 'localabstract', 'localreserved', 'localfilesystem'],
  ...['jdwp', 'track-jdwp', 'abb', 'abb_exec', 'framebuffer', 'reverse'],
]);
/**
 * Requests about `adb reverse`, without control characters. adbd would let any other request that it understands connect
 * an app to the lab's host.
 */
const REVERSE =
  /^reverse:(?:list-forward|killforward-all|killforward:[^\p{Cc};]+|forward:(?:norebind:)?[^\p{Cc};]+;[^\p{Cc};]+)$/u;
/** Services that may be written without a colon, because they have no argument. */
const WITHOUT_ARGUMENT = new Set(['track-jdwp', 'framebuffer', 'sync', 'jdwp']);

/**
 * Reads the request of a service: a name, for a shell also its options after commas, a colon, and an argument. Only the
 * part before the colon decides. The argument is the phone's business, except that a shell that would restart the phone
 * is refused, which prevents an accident and is no boundary (contract 16.2).
 * @returns the service, or the name that is refused
 */
export function parseAdbService(text: string): RemoteService | RefusedService {
  // Programs end the request with a NUL, which adb's framing adds again. Within `abb`, a NUL separates arguments.
  const request = text.replace(/\0+$/, '');
  const colon = request.indexOf(':');
  const head = colon === -1 ? request : request.slice(0, colon);
  const name = head.split(',', 1)[0] as string;
  if (Buffer.byteLength(request) > LONGEST_REQUEST) return { refused: 'a request of more than 65,535 bytes' };
  if (!ALLOWED.has(name)) return { refused: shownName(name) };
  if (colon === -1 && !WITHOUT_ARGUMENT.has(head)) return { refused: `${shownName(name)} without a colon` };
  if (head !== name && name !== 'shell') return { refused: shownName(head) };
  // adb ends the request at a NUL, so the phone would get another request than the one that was checked.
  if (!name.startsWith('abb') && request.includes('\0')) return { refused: `${name} with a NUL` };
  if (name === 'reverse' && !REVERSE.test(request)) return { refused: 'reverse with an unknown request' };
  const word = COMMANDS.has(name) ? firstWordOf(request.slice(colon + 1)) : null;
  if (word !== null && /(?:^|\/)reboot$/.test(word)) return { refused: `${name}:reboot` };
  return { kind: head.startsWith('shell,v2') ? 'shell,v2' : name, word, request };
}

function firstWordOf(command: string): string | null {
  const [word = ''] = command.trim().split(/[\s;&|<>()]/, 1);
  return word === '' ? null : shownName(word, LONGEST_WORD);
}
