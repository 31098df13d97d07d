// Checks the Helm chart: `helm lint`, `helm template`, and kubeconform with the schemas of a Kubernetes release.
// Needs Go, which downloads and builds both programs at the first run. Usage: node scripts/check-chart.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.22.0';
const KUBECONFORM = 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0';
const KUBERNETES = 'k8s.io/kubernetes@v1.34.0';

const chart = new URL('../deploy/helm', import.meta.url).pathname;
const programs = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc-chart');
const schemas = mkdtempSync(join(tmpdir(), 'svc-chart-'));
process.on('exit', () => rmSync(schemas, { recursive: true, force: true }));

/** Runs a program and returns its standard output; a failure ends this script with the program's own output. */
function run(program, args, options = {}) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 27, ...options });
  } catch (error) {
    console.error(`${program} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error.message}`);
    process.exit(1);
  }
}

function install(module) {
  run('go', ['install', module], { env: { ...process.env, GOBIN: programs } });
  return join(programs, module.split('/').at(-1).split('@')[0]);
}

/** Writes one JSON schema for each kind of Kubernetes, from the OpenAPI document of its release. */
function writeSchemas(folder) {
  const { Dir } = JSON.parse(run('go', ['mod', 'download', '-json', KUBERNETES]));
  const { definitions } = JSON.parse(readFileSync(join(Dir, 'api/openapi-spec/swagger.json'), 'utf8'));
  for (const each of Object.values(definitions)) {
    if (each.properties !== undefined) each.additionalProperties ??= false;
  }
  const quantity = definitions['io.k8s.apimachinery.pkg.api.resource.Quantity'];
  quantity.type = ['string', 'number'];
  definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString'].type = ['string', 'integer'];
  writeFileSync(join(folder, 'definitions.json'), JSON.stringify({ definitions }));
  for (const [name, each] of Object.entries(definitions)) {
    for (const { group, kind, version } of each['x-kubernetes-group-version-kind'] ?? []) {
      const file = [kind, group.split('.')[0], version].filter(Boolean).join('-').toLowerCase();
      const $ref = `file://${folder}/definitions.json#/definitions/${name}`;
      writeFileSync(join(folder, `${file}.json`), JSON.stringify({ $ref }));
    }
  }
}

const valueFiles = [[], ['--values', join(chart, 'ci', 'all-values.yaml')]];
const helm = install(HELM);
const kubeconform = install(KUBECONFORM);
writeSchemas(schemas);
for (const values of valueFiles) {
  console.log(run(helm, ['lint', '--strict', chart, ...values]).trim());
  const objects = run(helm, ['template', 'lab', chart, ...values]);
  const location = join(schemas, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
  const args = ['-strict', '-summary', '-schema-location', location, '-'];
  console.log(run(kubeconform, args, { input: objects }).trim());
}
