import { join } from 'node:path';
import { type TestbedAgent, temporaryFolder } from './agent.ts';

const npmPackage = '@anthropic-ai/claude-code';

export const claude = {
  npmPackage,
  // The install script of the package puts the native program under this name everywhere.
  programsIn: (modules) => ({ native: join(modules, npmPackage, 'bin/claude.exe') }),
  environment: async (model, home, { retries, sandbox }) => ({
    HOME: home,
    TMPDIR: temporaryFolder(home),
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-fake',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    ...(retries === undefined ? {} : { CLAUDE_CODE_MAX_RETRIES: String(retries) }),
    ...(sandbox ? { IS_SANDBOX: '1' } : {}),
  }),
} satisfies TestbedAgent;
