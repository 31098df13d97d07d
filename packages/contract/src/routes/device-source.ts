import { literals, NullableText, named, namedObject, Type } from './common.ts';

/**
 * Schema of one kind of phones that can be plugged into this server's host: whether the lab uses them, and which of
 * them were found.
 */
export const DeviceSource = namedObject('DeviceSource', {
  name: named('DeviceSourceName', literals(['adb', 'ios'])),
  address: Type.String({ description: 'Where the server looks for the phones.' }),
  on: Type.Boolean({ description: 'Whether the lab uses the phones.' }),
  variable: Type.String({ description: 'Environment variable of the setting.' }),
  fixed: Type.Boolean({
    description: 'Whether the variable is set, so that the API cannot change the setting.',
  }),
  found: Type.Union([
    Type.Null(),
    namedObject(
      'FoundPhones',
      {
        answers: Type.Boolean({ description: 'Whether the program that reports the phones responds.' }),
        phones: Type.Array(
          namedObject('PluggedPhone', {
            udid: Type.String(),
            name: NullableText,
            osVersion: NullableText,
            state: named(
              'PluggedState',
              literals(['ready', 'unauthorized', 'offline', 'no permissions', 'other']),
            ),
          }),
        ),
      },
      {
        description:
          'The phones that were found, or null if the phones are switched off, because the server then does not look for them.',
      },
    ),
  ]),
});
