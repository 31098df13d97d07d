import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAdbService } from '../src/remote-adb/adb-service.ts';

const kindOf = (text: string) => {
  const parsed = parseAdbService(text);
  return 'refused' in parsed ? `refused ${parsed.refused}` : `${parsed.kind} ${parsed.word ?? ''}`.trim();
};

describe('the services of remote adb', () => {
  it.each([
    ['shell:', 'shell'],
    ['shell:ls /sdcard', 'shell ls'],
    ['shell,v2,TERM=xterm-256color,pty:', 'shell,v2'],
    ['shell,v2,raw:logcat -d', 'shell,v2 logcat'],
    ['shell:am;reboot', 'shell am'],
    ['exec:screencap -p', 'exec screencap'],
    ['sync:', 'sync'],
    ['tcp:5555', 'tcp'],
    ['localabstract:chrome_devtools_remote', 'localabstract'],
    ['jdwp:123', 'jdwp'],
    ['track-jdwp', 'track-jdwp'],
    ['abb:package\0list\0', 'abb'],
    ['abb_exec:package\0install\0-S\x0a3', 'abb_exec'],
    ['framebuffer:', 'framebuffer'],
    ['reverse:forward:tcp:8081;tcp:8081', 'reverse'],
    ['reverse:forward:norebind:localabstract:a;tcp:1', 'reverse'],
    ['reverse:list-forward', 'reverse'],
    ['reverse:killforward:tcp:8081', 'reverse'],
    ['reverse:killforward-all', 'reverse'],
    ['reverse:forward:tcp:1;localfilesystem:/run/docker.sock\n', 'refused reverse with an unknown request'],
    ['reverse:forward:tcp:1;tcp:22;tcp:1', 'refused reverse with an unknown request'],
    ['reverse:forward:;tcp:22', 'refused reverse with an unknown request'],
    ['reverse:tcp:22', 'refused reverse with an unknown request'],
    ['root:', 'refused root'],
    ['reboot:bootloader', 'refused reboot'],
    ['shell:reboot', 'refused shell:reboot'],
    ['shell,v2:  /system/bin/reboot recovery', 'refused shell:reboot'],
    ['tcpip:5555', 'refused tcpip'],
    ['SHELL:id', 'refused SHELL'],
    ['sync,v2:', 'refused sync,v2'],
    ['shell', 'refused shell without a colon'],
    ['', 'refused an empty name'],
    ['shell:a\0host:kill', 'refused shell with a NUL'],
    ['host:kill', 'refused host'],
    [`shell:${'x'.repeat(70_000)}`, 'refused a request of more than 65,535 bytes'],
  ])('%j is read as %s (contract 16.2)', (text, expected) => {
    expect(kindOf(text)).toBe(expected);
  });

  it('any text is refused or is an allowed service whose request has the same name (contract 16.2)', () => {
    const name = fc.constantFrom('shell', 'exec', 'sync', 'root', 'reboot', 'usb', 'abb', 'host', 'tcp', '');
    const text = fc.tuple(name, fc.string({ unit: 'binary' })).map(([head, rest]) => `${head}${rest}`);
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseAdbService(given);
        if ('refused' in parsed) {
          expect(parsed.refused.length).toBeLessThan(64);
          return;
        }
        const before = parsed.request.split(/[:,]/, 1)[0];
        expect(before).not.toMatch(/^(?:root|reboot|usb|host|)$/);
        expect(given.startsWith(parsed.request)).toBe(true);
      }),
    );
  });
});
