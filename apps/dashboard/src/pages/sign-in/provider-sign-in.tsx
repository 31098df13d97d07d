import type { ComponentChildren } from 'preact';
import { apiAddress, SITE } from '../../api/addresses.ts';
import type { Answer } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { LinkButton } from '../../ui/index.ts';

const words = texts.oidc;
type Provider = Pick<Answer<'authOptions'>, 'oidc'>;

/** Shows why a sign-in through the provider failed, if such a failure led to this page (contract 10.1). */
export function ProviderProblem() {
  const problem = new URLSearchParams(location.search).get('problem') ?? '';
  if (!Object.hasOwn(words.problems, problem)) return null;
  return (
    <p class="notice notice-bad" role="alert">
      {words.problems[problem as keyof typeof words.problems]}
    </p>
  );
}

/**
 * Shows a link that starts the sign-in through the OpenID provider. Shows nothing if no provider is configured.
 * @param page address of the page to open after the sign-in
 */
export function ProviderSignIn({ oidc, page }: Provider & { page: string }) {
  if (oidc === null) return null;
  const query = new URLSearchParams({ return: `/svc/${page.slice(SITE.length)}` });
  return (
    <p>
      <LinkButton kind="primary" href={`${apiAddress('/auth/oidc/start')}?${query}`}>
        {words.signInWith(oidc.name)}
      </LinkButton>
    </p>
  );
}

/**
 * Hides the password form behind a heading that the user can open, if only Super admins may sign in with a password
 * (`break-glass`).
 */
export function PasswordPart({ isAside, children }: { isAside: boolean; children: ComponentChildren }) {
  if (!isAside) return <>{children}</>;
  return (
    <details>
      <summary>{words.withPassword}</summary>
      <p class="aside">{words.breakGlass}</p>
      {children}
    </details>
  );
}
