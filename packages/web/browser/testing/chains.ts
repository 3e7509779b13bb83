import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { script } from './ask.ts';
import type { ServedPage } from './served-page.ts';

/** A step that runs the demo agent. */
export function step(id: string, steps: object[] | string, more: object = {}) {
  const prompt = typeof steps === 'string' ? steps : script(...steps);
  return { id, agent: 'worker', prompt, ...more };
}

export const say = (text: string) => [{ say: text }];

/** Waits for a file, so that a test decides when the step goes on. */
export const waitFor = (file: string) => ({
  shell: `while [ ! -e ${file} ]; do sleep 0.05; done`,
});

/** A chain with steps of every kind; it needs an approval in the middle. */
export const SHIP = {
  description: 'Plan, build in parallel, approve and review until nothing is left',
  inputs: {
    task: { description: 'What to build', multiline: true },
    depth: {
      description: 'How thorough the review is',
      choices: ['quick', 'deep'],
      default: 'deep',
    },
    branch: { default: 'main' },
  },
  steps: [
    step('plan', say('The plan for {{inputs.task}}')),
    {
      id: 'build',
      parallel: [step('api', say('API done')), step('docs', [waitFor('go'), ...say('Docs done')])],
    },
    { id: 'release', approve: 'Release **{{inputs.task}}** to {{inputs.branch}}?' },
    {
      ...{ id: 'polish', maxIterations: 3, until: { step: 'fix', equals: 'Fixed 2' } },
      loop: [
        step('review', script({ say: 'Iteration {{iteration}}' })),
        step('fix', say('Fixed {{iteration}}'), {
          if: { step: 'review', outcome: 'done' },
        }),
      ],
    },
    step('undo', say('Undone'), { if: { step: 'polish', outcome: 'failed' } }),
  ],
};

/** Writes the chains file of the folder that agents work in; gives its path. */
export function writeChains(
  { work }: Pick<ServedPage, 'work'>,
  chains: Record<string, object>,
  worker: object = {},
): string {
  const file = join(work, 'chains.json');
  const agents = {
    worker: { backend: 'demo', permissionMode: 'allow-all', ...worker },
    asker: { backend: 'demo' },
  };
  writeFileSync(file, JSON.stringify({ agents, chains }));
  return file;
}

/** Trusts a chains file as it is. */
export async function trust({ client, work }: ServedPage, file: string): Promise<void> {
  const known = (await client.chains.find({ cwd: work })).find((each) => each.file === file);
  await client.chains.trust({ file, hash: known?.hash ?? '' });
}

/** Starts a chain of a trusted file; gives its id. */
export async function startChain(
  { client }: ServedPage,
  file: string,
  chain: string,
  inputs: Record<string, string> = {},
): Promise<string> {
  return (await client.chainRuns.create({ file, chain, inputs })).chain_run_id;
}

/** Waits until a run has a status. */
export async function untilStatus(
  { client }: ServedPage,
  id: string,
  status: string,
): Promise<void> {
  await vi.waitFor(
    async () => {
      const run = await client.chainRuns.get(id);
      if (run.status !== status) throw new Error(`The run is ${run.status}.`);
    },
    { timeout: 20_000, interval: 100 },
  );
}

/** A trusted chains file, and a run that waits for an approval. */
export async function seedChain(served: ServedPage): Promise<{ file: string; runId: string }> {
  const file = writeChains(served, { ship: SHIP });
  writeFileSync(join(served.work, 'go'), '');
  await trust(served, file);
  const runId = await startChain(served, file, 'ship', { task: `A task ${'x'.repeat(200)}` });
  await untilStatus(served, runId, 'awaiting_approval');
  return { file, runId };
}
