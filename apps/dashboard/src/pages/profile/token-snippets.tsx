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
 * Programs that read the credentials from the environment, so that users paste them into a terminal and not into a
 * file.
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
