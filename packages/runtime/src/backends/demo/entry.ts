import type { BackendEntry } from '../../registry.ts';
import { demoCapabilities } from './capabilities.ts';
import { ID, LABEL } from './name.ts';

/** What is known of Demo agent before its adapter is loaded. */
export const demoEntry: BackendEntry = {
  id: ID,
  label: LABEL,
  capabilities: demoCapabilities,
  ownPaths: async () => [(await import('./sessions.ts')).SESSIONS_FOLDER],
  load: async () => {
    const { demoBackend, demoDialects } = await import('./index.ts');
    return { create: demoBackend, dialects: demoDialects };
  },
};
