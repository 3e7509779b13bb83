import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestbedAgent, temporaryFolder } from './agent.ts';

const npmPackage = 'droid';

export const droid = {
  npmPackage,
  programsIn: (modules) => ({ native: join(modules, npmPackage, 'bin/droid') }),
  environment: async (model, home) => {
    const custom = {
      model: 'fake-model',
      displayName: 'Fake',
      baseUrl: `${model.url}/v1`,
      apiKey: 'fake-key',
      provider: 'generic-chat-completion-api',
      maxOutputTokens: 8000,
      // Without it Droid sends no images to models of this provider.
      noImageSupport: false,
    };
    const settings = {
      customModels: [custom],
      model: 'custom:fake-model',
      // Else every start waits for the service that would keep the session.
      cloudSessionSync: false,
    };
    await mkdir(join(home, '.factory'), { recursive: true });
    await writeFile(join(home, '.factory/settings.json'), JSON.stringify(settings));
    return {
      HOME: home,
      TMPDIR: temporaryFolder(home),
      // Its other calls stay on this machine too; the fake model knows none of them.
      FACTORY_API_BASE_URL: model.url,
      FACTORY_API_KEY: 'fk-fake',
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
    };
  },
} satisfies TestbedAgent;
