import type { Caller, Sender } from '@svc/auth-core';
import type { Handlers } from '@svc/module';
import type { DirectInput } from '../sources/direct-input.ts';
import type { DeviceControl } from './device-control.ts';

interface InputRequest {
  readonly caller: Caller;
  readonly sender: Sender;
  readonly params: { readonly udid: string };
}

/** Handlers that put input into a device, through the session that runs on it or without one (contract 2). */
export function inputHandlers(deviceControl: DeviceControl): Handlers {
  const authorize = (caller: Caller, { udid }: { udid: string }) => void deviceControl.seen(caller, udid);
  const put = ({ caller, sender, params: { udid } }: InputRequest, input: DirectInput): Promise<void> =>
    sender.kind === 'hub'
      ? deviceControl.inputForHub(udid, sender.sessionId, input)
      : deviceControl.input(caller, udid, input);
  return {
    typeText: { authorize, answer: (request) => put(request, { kind: 'text', text: request.body.text }) },
    tap: { authorize, answer: (request) => put(request, { kind: 'tap', ...request.body }) },
    setClipboard: {
      authorize,
      answer: (request) => put(request, { kind: 'clipboard', content: request.body.content }),
    },
    swipe: { authorize, answer: (request) => put(request, { kind: 'swipe', ...request.body }) },
    pressKey: { authorize, answer: (request) => put(request, { kind: 'key', ...request.body }) },
  };
}
