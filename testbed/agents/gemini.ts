import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestbedAgent, temporaryFolder } from './agent.ts';

const npmPackage = '@google/gemini-cli';

export const gemini = {
  npmPackage,
  programsIn: (modules) => ({ native: join(modules, npmPackage, 'bundle/gemini.js') }),
  environment: async (model, home, { retries }) => {
    const settings = {
      // Without it a base URL of one's own switches to a way to sign in that only works in a terminal.
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: {
        enableAutoUpdate: false,
        ...(retries === undefined ? {} : { maxAttempts: retries + 1 }),
      },
    };
    await mkdir(join(home, '.gemini'), { recursive: true });
    await writeFile(join(home, '.gemini/settings.json'), JSON.stringify(settings));
    return {
      HOME: home,
      TMPDIR: temporaryFolder(home),
      GEMINI_CLI_HOME: home,
      GEMINI_API_KEY: 'fake-key',
      // By default it first asks another model which model to use.
      GEMINI_MODEL: 'gemini-2.5-flash',
      GOOGLE_GEMINI_BASE_URL: model.url,
    };
  },
} satisfies TestbedAgent;
