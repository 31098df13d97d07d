import { useState } from 'preact/hooks';
import { SERVER } from '../../api/addresses.ts';
import { call } from '../../api/client.ts';
import { caller } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { CodeBlock, ResourceView, Tabs } from '../../ui/index.ts';
import { blocksOf, SNIPPETS, type SnippetName, snippet, variables } from './snippets.ts';

const { tokens: words } = texts.profile;

/**
 * Shows example programs for the token. They read the credentials from environment variables, so that users do not
 * store credentials in source files.
 */
export function TokenSnippets({ secret }: { secret: string }) {
  const [name, setName] = useState<SnippetName>('webdriverio');
  const capabilities = useResource((signal) => call('capabilities', { signal }));
  const pair = { url: SERVER, accessKey: caller.value.accessKey, token: secret };
  return (
    <ResourceView resource={capabilities}>
      {({ webDriver }) => (
        <>
          <CodeBlock label={words.variables} text={variables(pair)} />
          <Tabs
            label={words.useIt}
            tabs={SNIPPETS.map((id) => ({ id, label: words.snippets[id] }))}
            selected={name}
            onSelect={setName}
          >
            {blocksOf(name).map((block) => (
              <CodeBlock key={block} label={words.snippets[block]} text={snippet(block, pair, webDriver)} />
            ))}
          </Tabs>
        </>
      )}
    </ResourceView>
  );
}
