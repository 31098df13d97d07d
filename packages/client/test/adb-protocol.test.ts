import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AdbPacket, encodeHeader, PacketReader } from '../src/command/adb/protocol.ts';

const packets = fc.array(
  fc.record({
    command: fc.constantFrom('OPEN', 'OKAY', 'WRTE', 'CLSE'),
    first: fc.nat(),
    second: fc.nat(),
    payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  }),
);

it('packets of adb are read the same however the bytes are cut', () => {
  fc.assert(
    fc.property(packets, fc.array(fc.integer({ min: 1, max: 50 })), (sent, cuts) => {
      const bytes = Buffer.concat(
        sent.flatMap(({ command, first, second, payload }) => [
          encodeHeader(command as 'OPEN', first, second, payload.length),
          payload,
        ]),
      );
      const reader = new PacketReader();
      const read: AdbPacket[] = [];
      let at = 0;
      for (const size of [...cuts, bytes.length]) {
        if (at >= bytes.length) break;
        read.push(...reader.push(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(read.map((each) => ({ ...each, payload: Buffer.concat(each.payload) }))).toEqual(sent);
    }),
  );
});

it('bytes that are no packet of adb are refused before they fill the memory', () => {
  expect(() => new PacketReader().push(Buffer.alloc(24, 65))).toThrow('protocol of adb');
  const huge = encodeHeader('WRTE', 1, 1, 0);
  huge.writeUInt32LE(0x7fffffff, 12);
  expect(() => new PacketReader().push(huge)).toThrow('protocol of adb');
});
