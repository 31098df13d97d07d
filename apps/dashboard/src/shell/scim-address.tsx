import { SITE } from '../api/addresses.ts';
import { call } from '../api/client.ts';
import { useResource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import { CopyText, ResourceView } from '../ui/index.ts';

/** Shows the SCIM address for identity providers, or why this server has none. */
export function ScimAddress() {
  const capabilities = useResource((signal) => call('capabilities', { signal }));
  return (
    <ResourceView resource={capabilities}>
      {({ features }) =>
        features.scim ? (
          <>
            <p class="secret-label">{texts.scim.address}</p>
            <CopyText label={texts.scim.address} value={`${SITE}scim/v2`} />
          </>
        ) : (
          <p class="soft">{texts.scim.off}</p>
        )
      }
    </ResourceView>
  );
}
