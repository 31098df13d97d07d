import { type AdbAddress, AdbConnection } from '../sources/adb/adb-connection.ts';
import { HEALTH_COMMAND, type PhoneHealth, readHealth } from './judge-health.ts';

/** Time limit (ms) of one probe. */
const PROBE_MS = 10_000;
/** Maximum size of the output of the command in bytes. Android prints about 1 KB. */
const LARGEST_OUTPUT = 16_384;

/**
 * Result of a probe: the health of the phone, `silent` if the phone gave no usable answer in time, or `skipped` if the
 * probe says nothing about the phone.
 */
export type ProbeResult = PhoneHealth | 'silent' | 'skipped';

/**
 * Reads the health of a phone through the adb server.
 * @param isFree called immediately before the command. If it returns false, the command does not run.
 */
export async function probePhone(
  address: AdbAddress,
  udid: string,
  isFree: () => boolean,
  timeoutMs: number = PROBE_MS,
): Promise<ProbeResult> {
  const end = performance.now() + timeoutMs;
  const left = () => Math.max(1, end - performance.now());
  let connection: AdbConnection;
  try {
    connection = await AdbConnection.open(address, left());
  } catch {
    // This is a failure of the adb server, not of the phone.
    return 'skipped';
  }
  try {
    await connection.request(`host:transport:${udid}`, left());
    if (!isFree()) return 'skipped';
    await connection.request(`shell:${HEALTH_COMMAND}`, left());
    const output = await connection.rest(LARGEST_OUTPUT, left());
    return readHealth(output.toString('utf8')) ?? 'silent';
  } catch {
    return 'silent';
  } finally {
    connection.close();
  }
}
