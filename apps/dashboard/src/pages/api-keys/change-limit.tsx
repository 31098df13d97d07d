import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { Dialog, Field, Form, toast } from '../../ui/index.ts';
import { type ApiKey, withOwnerHint } from './api-key.ts';

interface ChangeLimitProps {
  apiKey: ApiKey | undefined;
  onChanged: (key: ApiKey) => void;
  onClose: () => void;
}

export function ChangeLimit({ apiKey, onChanged, onClose }: ChangeLimitProps) {
  return (
    <Dialog
      open={apiKey !== undefined}
      title={texts.apiKeys.changeLimitWhat(apiKey?.name ?? '')}
      onClose={onClose}
    >
      {apiKey !== undefined && (
        <LimitForm
          apiKey={apiKey}
          onChanged={(key) => {
            onChanged(key);
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

function LimitForm({ apiKey, onChanged }: { apiKey: ApiKey; onChanged: (key: ApiKey) => void }) {
  const [limit, setLimit] = useState(String(apiKey.rateLimit));
  const submit = async () => {
    const changed = await withOwnerHint(
      call('changeApiKey', { params: { id: apiKey.id }, body: { rateLimit: Number(limit) } }),
    );
    toast(texts.apiKeys.limitChanged(apiKey.name));
    onChanged(changed);
  };
  return (
    <Form submitLabel={texts.common.save} onSubmit={submit}>
      <LimitField value={limit} onChange={setLimit} />
    </Form>
  );
}

export function LimitField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field
      label={texts.apiKeys.limit}
      hint={texts.apiKeys.limitHint}
      type="number"
      required
      min={1}
      max={100_000}
      step={1}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
