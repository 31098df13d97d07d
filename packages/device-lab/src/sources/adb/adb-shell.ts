import { type AdbAddress, AdbConnection } from './adb-connection.ts';

/** Runs commands in the shells of the phones of an adb server. */
export class AdbShell {
  readonly #address: AdbAddress;

  constructor(address: AdbAddress) {
    this.#address = address;
  }

  /**
   * @param command a command whose arguments are constants or quoted
   * @returns the output, at most `most` bytes. Rejects if the phone does not carry out the command in `ms`.
   */
  async run(udid: string, command: string, { most, ms }: { most: number; ms: number }): Promise<string> {
    const connection = await AdbConnection.open(this.#address, ms);
    try {
      await connection.request(`host:transport:${udid}`, ms);
      await connection.request(`shell:${command}`, ms);
      return (await connection.rest(most, ms)).toString('utf8');
    } finally {
      connection.close();
    }
  }
}
