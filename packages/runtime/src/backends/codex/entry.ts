import type { BackendEntry } from '../../registry.ts';
import { codexCapabilities } from './capabilities.ts';
import { ID, LABEL, SETTINGS_PATHS } from './name.ts';

/** What is known of Codex before its adapter is loaded. */
export const codexEntry: BackendEntry = {
  id: ID,
  label: LABEL,
  capabilities: codexCapabilities,
  testedVersions: { oldest: '0.153.4', newest: '0.166.0' },
  settingsPaths: SETTINGS_PATHS,
  binarySetting: 'codexBinary',
  keyVariables: async (env) => (await import('./credentials.ts')).codexKeyVariables(env),
  ownPaths: async (env) => [(await import('./codex-home.ts')).codexHome(env)],
  load: async () => {
    const { codexBackend, codexDialects } = await import('./index.ts');
    return { create: codexBackend, dialects: codexDialects };
  },
};
