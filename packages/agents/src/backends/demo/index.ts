import type { BackendEntry } from '@baton/engine/definition/backend-entry';
import { demoCapabilities } from './capabilities.ts';
import { SETTINGS_FILE } from './protocol.ts';

/** Registry entry of the demo agent, available before its adapter is loaded. */
export const demoEntry: BackendEntry = {
  specVersion: 1,
  id: 'demo',
  label: 'Demo agent',
  isDemo: true,
  capabilities: demoCapabilities,
  install: 'The demo agent is part of Baton.',
  binary: { command: process.execPath, version: '1' },
  settingsPaths: [SETTINGS_FILE],
  keyVariables: async () => [],
  ownPaths: async () => [(await import('./sessions.ts')).SESSIONS_FOLDER],
  load: async () => (await import('./backend.ts')).demoAdapter,
};
