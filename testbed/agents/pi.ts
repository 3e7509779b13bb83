import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestbedAgent, temporaryFolder } from './agent.ts';

const npmPackage = '@earendil-works/pi-coding-agent';
/** Its name up to 0.73.1. */
const formerPackage = '@mariozechner/pi-coding-agent';

/** The library of Pi, whose program is its folder. */
export const pi = {
  npmPackage,
  formerPackage,
  runOptions: { model: 'fake/fake-model', providerOptions: { tools: true, thinking: 'high' } },
  programsIn: (modules) => {
    const former = join(modules, formerPackage);
    return { native: existsSync(former) ? former : join(modules, npmPackage) };
  },
  environment: async (model, home, { retries }) => {
    const folder = join(home, '.flux/pi-agent');
    const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0 };
    const fake = {
      baseUrl: `${model.url}/v1`,
      api: 'openai-completions',
      apiKey: 'fake-key',
      models: ['fake-model', 'other-model'].map((id) => ({
        id,
        name: id,
        reasoning: true,
        input: ['text', 'image'],
        contextWindow: 4_000_000,
        maxTokens: 8000,
        cost,
      })),
    };
    const provider = { maxRetries: retries };
    const retry = { enabled: retries !== 0, maxRetries: retries, provider };
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'models.json'), JSON.stringify({ providers: { fake } }));
    await writeFile(
      join(folder, 'settings.json'),
      JSON.stringify(retries === undefined ? {} : { retry }),
    );
    return {
      HOME: home,
      TMPDIR: temporaryFolder(home),
      FLUX_PI_AGENT_DIR: folder,
      // It asks for newer releases and catalogs of models otherwise.
      PI_OFFLINE: '1',
    };
  },
} satisfies TestbedAgent;
