import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type AgentName = 'claude' | 'codex';

/** The npm packages of the agents. */
export const agentPackages: Readonly<Record<AgentName, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
};

/** The program files of the agents in a folder `node_modules`. */
export const agentProgramsIn = (modules: string) => ({
  claude: {
    /** The native program; the install script of the package puts it under this name everywhere. */
    native: join(modules, agentPackages.claude, 'bin/claude.exe'),
  },
  codex: {
    native: codexNative(modules),
    /** What a user has on PATH: a Node script, which on older Nodes runs the native one as a child. */
    launcher: join(modules, agentPackages.codex, 'bin/codex.js'),
  },
});

/** Where the agents under test are installed: the pinned ones, unless somebody tests other releases. */
export const agentModules =
  process.env.BATON_AGENT_MODULES ?? fileURLToPath(new URL('node_modules', import.meta.url));

/** The program files of the agents under test. */
export const agentPrograms = agentProgramsIn(agentModules);

export interface AgentEnvironmentOptions {
  /** How often the agent asks again after a failed request; unset, its own (long) default. */
  retries?: number;
  /** Tell Claude Code that it runs in a sandbox, so that root may skip all permissions. */
  sandbox?: boolean;
  /** More lines for Codex's config.toml, such as MCP servers. */
  codexConfig?: string;
}

/** Prepares an isolated home for an agent and returns the variables that lead it to the fake model. */
export async function agentEnvironment(
  agent: AgentName,
  model: { url: string },
  home: string,
  options: AgentEnvironmentOptions = {},
): Promise<Record<string, string>> {
  await mkdir(temporaryFolder(home), { recursive: true });
  if (agent === 'claude') return claudeEnvironment(model, home, options);
  return codexEnvironment(model, home, options);
}

function claudeEnvironment(
  model: { url: string },
  home: string,
  { retries, sandbox }: AgentEnvironmentOptions,
): Record<string, string> {
  return {
    HOME: home,
    TMPDIR: temporaryFolder(home),
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-fake',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    ...(retries === undefined ? {} : { CLAUDE_CODE_MAX_RETRIES: String(retries) }),
    ...(sandbox ? { IS_SANDBOX: '1' } : {}),
  };
}

async function codexEnvironment(
  model: { url: string },
  home: string,
  { retries, codexConfig = '' }: AgentEnvironmentOptions,
): Promise<Record<string, string>> {
  const codexHome = join(home, '.codex');
  await mkdir(codexHome, { recursive: true });
  await writeFile(join(codexHome, 'config.toml'), codexToml(model, retries) + codexConfig);
  return {
    HOME: home,
    TMPDIR: temporaryFolder(home),
    CODEX_HOME: codexHome,
    FAKE_KEY: 'sk-fake',
  };
}

// Both agents leave files behind in the folder for temporary files.
function temporaryFolder(home: string): string {
  return join(home, 'tmp');
}

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
