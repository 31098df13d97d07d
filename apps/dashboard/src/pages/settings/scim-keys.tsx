import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { ResourceView } from '../../ui/index.ts';
import { TokenEnd } from '../../ui/token-times.tsx';

/** Shows when the keys of identity providers end, because the lab shows nothing else when one has ended (contract 10.5). */
export function ScimKeys() {
  const keys = useResource((signal) => call('listApiKeys', { query: { kind: 'scim' }, signal }));
  return (
    <>
      <p class="secret-label">{texts.scim.keys}</p>
      <ResourceView resource={keys}>
        {(shown) =>
          shown.length === 0 ? (
            <p class="soft">{texts.scim.noKeys}</p>
          ) : (
            <ul>
              {shown.map(({ id, name, expiresAt }) => (
                <li key={id}>
                  {texts.scim.ends(name)} <TokenEnd at={expiresAt} />
                </li>
              ))}
            </ul>
          )
        }
      </ResourceView>
    </>
  );
}
