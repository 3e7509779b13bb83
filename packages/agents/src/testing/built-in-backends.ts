import type { BackendSpec } from '@baton/engine/definition/backend-entry';
import { defineBackend } from '@baton/engine/run/define-backend';
import { claudeSpec } from '../backends/claude/backend.ts';
import { codexSpec } from '../backends/codex/backend.ts';
import { codexSdkAdapter } from '../backends/codex-sdk/backend.ts';
import { codexSdkEntry } from '../backends/codex-sdk/index.ts';
import { demoAdapter } from '../backends/demo/backend.ts';
import { demoEntry } from '../backends/demo/index.ts';
import { droidSpec } from '../backends/droid/backend.ts';
import { geminiSpec } from '../backends/gemini/backend.ts';
import { openClawSpec } from '../backends/openclaw/backend.ts';
import { openCodeSpec } from '../backends/opencode/backend.ts';
import { piAdapter } from '../backends/pi/backend.ts';
import { piEntry } from '../backends/pi/index.ts';
import { Registry } from '../registry/registry.ts';

/** Registry of the backends below: their runs protect the settings of all built-in agents. */
const registry = new Registry();
const inRegistry = (spec: BackendSpec) => defineBackend(spec, registry);

export const claudeBackend = inRegistry(claudeSpec);
export const codexBackend = inRegistry(codexSpec);
export const codexSdkBackend = inRegistry({ ...codexSdkEntry, ...codexSdkAdapter });
export const demoBackend = inRegistry({ ...demoEntry, ...demoAdapter });
export const droidBackend = inRegistry(droidSpec);
export const geminiBackend = inRegistry(geminiSpec);
export const openClawBackend = inRegistry(openClawSpec);
export const openCodeBackend = inRegistry(openCodeSpec);
export const piBackend = inRegistry({ ...piEntry, ...piAdapter });
