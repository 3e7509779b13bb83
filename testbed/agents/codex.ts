import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestbedAgent, temporaryFolder } from './agent.ts';

const npmPackage = '@openai/codex';

export const codex = {
  npmPackage,
  programsIn: (modules) => ({
    native: codexNative(modules),
    // A Node script, which on older Nodes runs the native program as a child.
    launcher: join(modules, npmPackage, 'bin/codex.js'),
  }),
  environment: async (model, home, { retries, codexConfig = '' }) => {
    const codexHome = join(home, '.codex');
    await mkdir(codexHome, { recursive: true });
    await writeFile(join(codexHome, 'config.toml'), codexToml(model, retries) + codexConfig);
    return {
      HOME: home,
      TMPDIR: temporaryFolder(home),
      CODEX_HOME: codexHome,
      FAKE_KEY: 'sk-fake',
    };
  },
} satisfies TestbedAgent;

/** The library that starts Codex; its program is its folder. */
export const codexSdk = {
  npmPackage: '@openai/codex-sdk',
  programsIn: (modules) => ({ native: join(modules, '@openai/codex-sdk') }),
  environment: codex.environment,
} satisfies TestbedAgent;

// Analytics and plugins are the two features that reach for the internet at start.
function codexToml(model: { url: string }, retries: number | undefined): string {
  const limits =
    retries === undefined
      ? ''
      : `request_max_retries = ${retries}\nstream_max_retries = ${retries}\n`;
  return `model = "gpt-5.5"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "${model.url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
${limits}
[analytics]
enabled = false

[features]
plugins = false

[tools.update_plan]
enabled = true

`;
}

function codexNative(modules: string): string {
  const arch = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const system = { darwin: 'apple-darwin', win32: 'pc-windows-msvc' }[String(process.platform)];
  const target = `${arch}-${system ?? 'unknown-linux-musl'}`;
  const program = process.platform === 'win32' ? 'codex.exe' : 'codex';
  const platformPackage = `@openai/codex-${process.platform}-${process.arch}`;
  return join(modules, platformPackage, 'vendor', target, 'bin', program);
}
