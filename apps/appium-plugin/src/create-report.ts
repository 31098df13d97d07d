import type { AsyncLocalStorage } from 'node:async_hooks';
import { LOCAL_ORIGIN } from '@svc/auth-core';
import type { DeviceLab } from '@svc/device-lab';
import { type AppiumGate, type GateContext, notCreated, WebDriverError } from '@svc/webdriver-gate';
import type { CreateResult } from './appium-types.ts';

interface CreateReportOptions {
  readonly gate: Pick<AppiumGate, 'sessionCreated' | 'createFailed'>;
  readonly lab: DeviceLab;
  readonly contexts: AsyncLocalStorage<GateContext>;
}

/**
 * Runs a create-session request and reports its outcome to the gate (the part that checks each WebDriver request). The
 * gate records the outcome in the audit trail, and the reason of a failure also in the log and for `GET /explain`.
 */
export async function reportCreate<T>(
  create: () => Promise<T>,
  { gate, lab, contexts }: CreateReportOptions,
): Promise<T> {
  const context = contexts.getStore();
  if (context?.kind === 'probe') return await create();
  const through = context?.kind === 'create' ? context : undefined;
  const failed = (error: WebDriverError): void => {
    if (through !== undefined) gate.createFailed(error, through.admission.caller, through.from);
  };
  try {
    const result = await create();
    const { value, error } = result as CreateResult;
    // The driver's message is not reported, because it may quote the capabilities and the secrets in them.
    if (error !== undefined || value === undefined)
      failed(notCreated('the driver did not start the session'));
    else {
      const [id] = value;
      const ownerId = lab.sessions.ownerOf(id) ?? null;
      gate.sessionCreated(
        id,
        { ownerId, caller: through?.admission.caller ?? null },
        through?.from ?? LOCAL_ORIGIN,
      );
    }
    return result;
  } catch (error) {
    failed(error instanceof WebDriverError ? error : notCreated('the session could not be created'));
    throw error;
  }
}
