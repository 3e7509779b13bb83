import type { BackendEntry } from '../../registry.ts';
import { demoCapabilities } from './capabilities.ts';
import { ID, LABEL, SETTINGS_PATHS } from './name.ts';

/** What is known of Demo agent before its adapter is loaded. */
export const demoEntry: BackendEntry = {
  id: ID,
  label: LABEL,
  capabilities: demoCapabilities,
  settingsPaths: SETTINGS_PATHS,
  ownPaths: async () => [(await import('./sessions.ts')).SESSIONS_FOLDER],
  load: async () => {
    const { demoBackend, demoDialects } = await import('./index.ts');
    return { create: demoBackend, dialects: demoDialects };
  },
};
