import type { BackendEntry } from '../../registry.ts';
import { claudeCapabilities } from './capabilities.ts';
import { ID, LABEL, SETTINGS_PATHS } from './name.ts';

/** What is known of Claude Code before its adapter is loaded. */
export const claudeEntry: BackendEntry = {
  id: ID,
  label: LABEL,
  capabilities: claudeCapabilities,
  testedVersions: { oldest: '2.1.197', newest: '2.1.325' },
  settingsPaths: SETTINGS_PATHS,
  binarySetting: 'claudeBinary',
  keyVariables: async () => (await import('./credentials.ts')).KEY_VARIABLES,
  ownPaths: async (env) => (await import('./credentials.ts')).claudePaths(env),
  load: async () => {
    const { claudeBackend, claudeDialects } = await import('./index.ts');
    return { create: claudeBackend, dialects: claudeDialects };
  },
};
