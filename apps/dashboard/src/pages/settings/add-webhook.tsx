import { type Answer, call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { MakeDialog, SecretOnce } from '../../ui/index.ts';
import { WebhookForm } from './webhook-form.tsx';

type Made = Answer<'createWebhook'>;

/**
 * Shows the form for a new webhook, and then its signing secret, which is shown only once. Slack and Teams do not check
 * signatures, so for them there is no secret to copy.
 */
export function AddWebhook({ onAdded }: { onAdded: () => void }) {
  return (
    <MakeDialog<Made>
      label={texts.webhooks.add}
      title={texts.webhooks.addTitle}
      madeTitle={() => texts.webhooks.added}
      form={({ made }) => (
        <WebhookForm
          submitLabel={texts.webhooks.add}
          onSubmit={async (body) => made(await call('createWebhook', { body }))}
        />
      )}
      onMade={onAdded}
    >
      {({ format, secret }) =>
        format === 'svc' ? (
          <>
            <SecretOnce label={texts.webhooks.secret} value={secret} />
            <p>{texts.webhooks.secretText}</p>
          </>
        ) : (
          <p>{texts.webhooks.noSecretText}</p>
        )
      }
    </MakeDialog>
  );
}
