import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestbedAgent, temporaryFolder } from './agent.ts';

const npmPackage = 'opencode-ai';

export const opencode = {
  npmPackage,
  // The install script of the package puts the native program under this name everywhere.
  programsIn: (modules) => ({ native: join(modules, npmPackage, 'bin/opencode.exe') }),
  environment: async (model, home) => {
    const limit = { context: 100_000, output: 8000 };
    // OpenCode sends images only to models that say they take them.
    const modalities = { input: ['text', 'image'], output: ['text'] };
    const fake = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${model.url}/v1`, apiKey: 'fake-key' },
      models: {
        'fake-model': {
          limit,
          cost: { input: 1, output: 2 },
          reasoning: true,
          attachment: true,
          modalities,
        },
      },
    };
    const config = { model: 'fake/fake-model', autoupdate: false, provider: { fake } };
    const folder = join(home, '.config/opencode');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'opencode.json'), JSON.stringify(config));
    return {
      HOME: home,
      TMPDIR: temporaryFolder(home),
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      XDG_STATE_HOME: join(home, '.local/state'),
      XDG_CACHE_HOME: join(home, '.cache'),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      // It installs a package into the folder of its settings, for plugins.
      npm_config_offline: 'true',
    };
  },
} satisfies TestbedAgent;
