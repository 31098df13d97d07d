type Claims = Readonly<Record<string, unknown>>;

/** Longer addresses are left out. A browser would open them, but every session of the run stores the address. */
const LONGEST = 500;

/** A path of names with slashes, which cannot leave its place in an address. */
const PATH = /^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*$/;
const NUMBER = /^\d{1,20}$/;

/**
 * Returns the address of a CI run at its service, for people who look for the run that created a session.
 * @param issuer issuer of the job's token, which is an http(s) address
 * @returns an http(s) address, or undefined if the claims of the token do not tell it
 */
export function runAddress(issuer: string, claims: Claims): string | undefined {
  const address = ofGitHub(issuer, claims) ?? ofGitLab(issuer, claims) ?? ofBuildkite(issuer, claims);
  return checked(address ?? ofJenkins(claims));
}

function ofGitHub(issuer: string, claims: Claims): string | undefined {
  const repository = part(claims, 'repository', PATH);
  const run = part(claims, 'run_id', NUMBER);
  if (repository === undefined || run === undefined) return undefined;
  // GitHub Enterprise Server has its issuer below its own address.
  const isPublic = hostOf(issuer) === 'token.actions.githubusercontent.com';
  const server = isPublic ? 'https://github.com' : issuer.replace(/\/_services\/.*$/, '');
  return `${server}/${repository}/actions/runs/${run}`;
}

function ofGitLab(issuer: string, claims: Claims): string | undefined {
  const project = part(claims, 'project_path', PATH);
  const job = part(claims, 'job_id', NUMBER);
  const pipeline = part(claims, 'pipeline_id', NUMBER);
  if (project === undefined || (job ?? pipeline) === undefined) return undefined;
  return `${issuer.replace(/\/$/, '')}/${project}/-/${job === undefined ? `pipelines/${pipeline}` : `jobs/${job}`}`;
}

function ofBuildkite(issuer: string, claims: Claims): string | undefined {
  const [organization, pipeline] = ['organization_slug', 'pipeline_slug'].map((name) =>
    part(claims, name, PATH),
  );
  const build = part(claims, 'build_number', NUMBER);
  if (hostOf(issuer) !== 'agent.buildkite.com') return undefined;
  if (organization === undefined || pipeline === undefined || build === undefined) return undefined;
  return `https://buildkite.com/${organization}/${pipeline}/builds/${build}`;
}

/** The subject of a token of Jenkins is the address of the job. */
function ofJenkins(claims: Claims): string | undefined {
  const job = part(claims, 'sub', /^https?:\/\/[^\s?#]+$/);
  const build = part(claims, 'build_number', NUMBER);
  return job === undefined || build === undefined ? undefined : `${job.replace(/\/$/, '')}/${build}/`;
}

function part(claims: Claims, name: string, form: RegExp): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && form.test(text) ? text : undefined;
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

function checked(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, username, password, href } = new URL(address);
  const isPlain = /^https?:$/.test(protocol) && username === '' && password === '';
  return isPlain && href.length <= LONGEST ? href : undefined;
}
