import { webdriverioTest } from '../../api/webdriverio-test.ts';

export const SNIPPETS = ['webdriverio', 'selenium', 'python', 'java', 'curl', 'ci'] as const;
export type SnippetName = (typeof SNIPPETS)[number];

const CI_BLOCKS = ['githubCommands', 'githubWorkflow', 'gitlabCommands'] as const;
/** Name of a text that the user copies and pastes as one block. */
export type BlockName = Exclude<SnippetName, 'ci'> | (typeof CI_BLOCKS)[number];

export function blocksOf(name: SnippetName): readonly BlockName[] {
  return name === 'ci' ? CI_BLOCKS : [name];
}

export interface SnippetPair {
  /** Address of the service without a trailing slash. */
  readonly url: string;
  readonly accessKey: string;
  readonly token: string;
}

/** Facts about the lab that the example programs contain (`GET /capabilities`). */
export interface WebDriverFacts {
  readonly basePath: string;
  /** Capabilities for a virtual phone, or null if the lab has none. */
  readonly example: Readonly<Record<string, unknown>> | null;
}

const PHONE = { platformName: 'Android', 'appium:automationName': 'UiAutomator2' };

/** Returns shell commands (POSIX) that set the credentials as environment variables. */
export function variables({ url, accessKey, token }: SnippetPair): string {
  return [
    `export SVC_URL=${quoted(url)}`,
    `export SVC_ACCESS_KEY=${quoted(accessKey)}`,
    `export SVC_TOKEN=${quoted(token)}`,
  ].join('\n');
}

export function snippet(name: BlockName, pair: SnippetPair, { basePath, example }: WebDriverFacts): string {
  const wanted = example ?? PHONE;
  const write = {
    webdriverio,
    selenium,
    python,
    java,
    curl,
    githubCommands,
    githubWorkflow,
    gitlabCommands,
  }[name];
  return write({ pair, basePath, wanted });
}

interface Parts {
  readonly pair: SnippetPair;
  readonly basePath: string;
  readonly wanted: Readonly<Record<string, unknown>>;
}

/** Quotes a text as one word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const json = (value: unknown, indent: string) =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);

function fields(wanted: Parts['wanted'], indent: string): string {
  return Object.entries(wanted)
    .map(([name, value]) => `${indent}${JSON.stringify(name)}: ${json(value, indent)},`)
    .join('\n');
}

function webdriverio({ basePath, wanted }: Parts): string {
  const test = webdriverioTest({
    setup: [
      'const { SVC_URL, SVC_ACCESS_KEY: accessKey, SVC_TOKEN: token } = process.env;',
      `const capabilities = ${json(wanted, '')};`,
    ],
    address: `SVC_URL${basePath === '' ? '' : ` + ${JSON.stringify(basePath)}`}`,
    steps: ['console.log((await phone.getPageSource()).length);'],
  });
  return `// lab-test.mjs: npm install webdriverio && node lab-test.mjs\n${test}`;
}

function selenium({ basePath, wanted }: Parts): string {
  return `// lab-test.mjs: npm install selenium-webdriver && node lab-test.mjs
import { Capabilities, WebDriver } from 'selenium-webdriver';
import { Executor, HttpClient } from 'selenium-webdriver/http/index.js';

const { SVC_URL, SVC_ACCESS_KEY, SVC_TOKEN } = process.env;

class LabHttpClient extends HttpClient {
  send(request) {
    request.headers.set('x-svc-access-key', SVC_ACCESS_KEY);
    request.headers.set('x-svc-token', SVC_TOKEN);
    return super.send(request);
  }
}

const phone = WebDriver.createSession(
  new Executor(new LabHttpClient(SVC_URL + ${JSON.stringify(basePath)})),
  new Capabilities({
${fields(wanted, '    ')}
    'svc:options': { accessKey: SVC_ACCESS_KEY, token: SVC_TOKEN },
  }),
);
console.log((await phone.getPageSource()).length);
await phone.quit();
`;
}

function python({ basePath, wanted }: Parts): string {
  return `# lab_test.py: pip install Appium-Python-Client && python3 lab_test.py
import os

from appium import webdriver
from appium.options.common import AppiumOptions
from appium.webdriver.appium_connection import AppiumConnection
from appium.webdriver.client_config import AppiumClientConfig

url, access_key, token = (os.environ[name] for name in ("SVC_URL", "SVC_ACCESS_KEY", "SVC_TOKEN"))


class LabConnection(AppiumConnection):
    def get_remote_connection_headers(self, parsed_url, keep_alive=True):
        usual = super().get_remote_connection_headers(parsed_url, keep_alive=keep_alive)
        return {**usual, "x-svc-access-key": access_key, "x-svc-token": token}


options = AppiumOptions().load_capabilities(
    {
${fields(wanted, '        ')}
        "svc:options": {"accessKey": access_key, "token": token},
    }
)
config = AppiumClientConfig(remote_server_addr=url + ${JSON.stringify(basePath)})
driver = webdriver.Remote(command_executor=LabConnection(client_config=config), options=options)
print(len(driver.page_source))
driver.quit()
`;
}

function java({ basePath, wanted }: Parts): string {
  const set = Object.entries(wanted)
    .map(
      ([name, value]) =>
        `        capabilities.setCapability(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    )
    .join('\n');
  return `// LabTest.java, with io.appium:java-client
import io.appium.java_client.AppiumClientConfig;
import io.appium.java_client.AppiumDriver;
import java.net.URI;
import java.util.Map;
import org.openqa.selenium.MutableCapabilities;

public class LabTest {
    public static void main(String[] args) throws Exception {
        String url = System.getenv("SVC_URL");
        String accessKey = System.getenv("SVC_ACCESS_KEY");
        String token = System.getenv("SVC_TOKEN");

        MutableCapabilities capabilities = new MutableCapabilities();
${set}
        capabilities.setCapability("svc:options", Map.of("accessKey", accessKey, "token", token));

        AppiumClientConfig config = AppiumClientConfig.defaultConfig()
            .baseUrl(URI.create(url + ${JSON.stringify(basePath)}).toURL())
            .withFilter(next -> request -> {
                request.setHeader("x-svc-access-key", accessKey);
                request.setHeader("x-svc-token", token);
                return next.execute(request);
            });
        AppiumDriver driver = new AppiumDriver(config, capabilities);
        System.out.println(driver.getPageSource().length());
        driver.quit();
    }
}
`;
}

function curl(): string {
  return `curl -sS --fail-with-body -H "x-svc-access-key: $SVC_ACCESS_KEY" -H "x-svc-token: $SVC_TOKEN" "$SVC_URL/svc/api/auth/me"
`;
}

/**
 * Returns commands that store the credentials as GitHub secrets. The token goes through standard input, so that it does
 * not appear in process lists.
 */
function githubCommands({ pair }: Parts): string {
  return `gh variable set SVC_URL --body ${quoted(pair.url)}
gh variable set SVC_ACCESS_KEY --body ${quoted(pair.accessKey)}
printf %s "$SVC_TOKEN" | gh secret set SVC_TOKEN
`;
}

function githubWorkflow(): string {
  return `env:
  SVC_URL: \${{ vars.SVC_URL }}
  SVC_ACCESS_KEY: \${{ vars.SVC_ACCESS_KEY }}
  SVC_TOKEN: \${{ secrets.SVC_TOKEN }}
`;
}

/**
 * Returns commands that store the credentials as GitLab variables, which GitLab adds to the environment of its jobs.
 */
function gitlabCommands({ pair }: Parts): string {
  return `glab variable set SVC_URL ${quoted(pair.url)}
glab variable set SVC_ACCESS_KEY ${quoted(pair.accessKey)}
printf %s "$SVC_TOKEN" | glab variable set SVC_TOKEN --masked
`;
}
