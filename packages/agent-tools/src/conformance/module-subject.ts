import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importBackendModule } from '@baton/agents/registry/backend-modules';
import { Registry } from '@baton/agents/registry/registry';
import { isObject } from '@baton/config/values/json';
import type { BackendSettings } from '@baton/engine/definition/backend';
import { defineBackend } from '@baton/engine/run/define-backend';
import { BatonError, shortened } from '@baton/protocol/values';
import { inWorld } from './stage/stage.ts';
import type { ConformanceSubject, World } from './stage/subject.ts';

/**
 * Optional export `conformance` of a module next to its backend, for facts that the suite cannot know. Without it, the
 * prompt of a case is its script as JSON, and every case has its own folder and home.
 */
export type ModuleConformance = Partial<Omit<ConformanceSubject, 'backend'>>;

/** Prepares the backend of a module for the suite. */
export async function moduleSubject(name: string, folder: string): Promise<ConformanceSubject> {
  const { entry, exported } = await importBackendModule(name, folder);
  const registry = new Registry();
  registry.register(entry);
  const spec = { ...entry, ...(await entry.load()) };
  const create = (settings?: BackendSettings) => defineBackend(spec, registry)(settings);
  return {
    backend: create(),
    failures: [],
    folderHooks: [],
    prompt: (steps) => JSON.stringify(steps),
    world: temporaryWorld,
    ...(spec.binary ? { withBinary: (binary: string) => create({ binary }) } : {}),
    ...conformanceOf(name, exported.conformance),
  };
}

/** Rejects with what the module has to export if its agent does not carry out a script: every case would fail. */
export async function checkScripts(name: string, subject: ConformanceSubject): Promise<void> {
  const steps = [{ say: 'Ready.' }];
  const isDefault = subject.steps === undefined && subject.prompt(steps) === JSON.stringify(steps);
  if (!isDefault) return;
  await inWorld(subject, async (stage) => {
    const { outcome, output } = await stage.start(steps).collect();
    // What fails otherwise is for the cases to say.
    if (outcome !== 'done' || output.trim() === 'Ready.') return;
    const answer = shortened(output.trim(), 60);
    throw new BatonError(
      'usage',
      `The agent of ${name} carries out no scripts: it was to say "Ready." and said "${answer}".`,
      {
        hint: 'Export how to script it, as in: export const conformance = { prompt: (steps) => … }. If nothing can, use { steps: [] }. See docs/backends.md.',
      },
    );
  });
}

function conformanceOf(name: string, exported: unknown): ModuleConformance {
  if (exported === undefined) return {};
  if (isObject(exported)) return exported as ModuleConformance;
  throw new BatonError('usage', `The export "conformance" of ${name} is not an object.`, {
    hint: 'Export an object with prompt, steps, failures or folderHooks, or nothing.',
  });
}

async function temporaryWorld(): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-conformance-')));
  const cwd = join(folder, 'workspace');
  mkdirSync(cwd);
  return {
    cwd,
    options: { env: { HOME: folder } },
    dispose: async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
