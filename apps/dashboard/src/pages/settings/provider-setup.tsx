import { SITE } from '../../api/addresses.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Panel, ResourceView } from '../../ui/index.ts';

const { setup: words } = texts.oidc;

/** Shows the addresses to enter at the OpenID provider (contract 10.1). */
export function ProviderSetup() {
  const setup = useResource((signal) => call('getProviderSetup', { signal }));
  return (
    <Panel title={words.title} lead={words.lead}>
      <ResourceView resource={setup}>
        {({ active, name, issuer, callbackUrl, backchannelLogoutUrl }) =>
          active ? (
            <dl class="facts">
              <dt>{words.provider}</dt>
              <dd>{name}</dd>
              <dt>{words.issuer}</dt>
              <dd>{issuer}</dd>
              <dt>{words.callback}</dt>
              <dd>
                <code>{callbackUrl}</code>
              </dd>
              <dt>{words.logout}</dt>
              <dd>
                <code>{backchannelLogoutUrl}</code>
              </dd>
            </dl>
          ) : (
            <p class="soft">
              {words.off} <a href={`${SITE}docs/guides/oidc.html`}>{words.guide}</a>
            </p>
          )
        }
      </ResourceView>
    </Panel>
  );
}
