import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertDone, capabilitiesOf, finish, inWorld } from '../stage/stage.ts';
import type { ConformanceCase, ConformanceSubject } from '../stage/subject.ts';

const WORDS = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ');
const RUNS = 5;
/** An upper bound for the time in which the sockets of a run close. */
const CLOSING_MS = 20_000;

/** Large and frequent runs lose no event and leave nothing behind. */
export function volumeCases(subject: ConformanceSubject): ConformanceCase[] {
  return [
    {
      name: 'a slow reader gets everything, in order',
      run: () =>
        inWorld(subject, async (stage) => {
          let pauses = 20;
          const run = stage.start([{ say: WORDS }]);
          const ended = await finish(run, async (event) => {
            if (event.type !== 'message.delta' || pauses === 0) return;
            pauses -= 1;
            await sleep(5);
          });
          assertDone(ended);
          assert.equal(ended.result.output, WORDS);
        }),
    },
    {
      name: 'a prompt of 1 MB is taken',
      run: () =>
        inWorld(subject, async (stage) => {
          const prompt = `${subject.prompt([{ say: 'That was long.' }])}\n${'x'.repeat(1_000_000)}`;
          const run = await stage.run([], { prompt });
          assertDone(run);
          assert.equal(run.result.output, 'That was long.');
        }),
    },
    {
      name: 'a prompt that begins with a dash is taken',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = await stage.run([], {
            prompt: `--help ${subject.prompt([{ say: 'A dash.' }])}`,
          });
          assertDone(run);
          // An agent that repeats its prompt repeats the dash too, and nothing else.
          assert.ok(['A dash.', '--help A dash.'].includes(run.result.output), run.result.output);
        }),
    },
    {
      name: 'runs leave no file descriptor, temporary file or listener behind',
      run: () =>
        inWorld(subject, (stage) =>
          withOwnTemporaryFolder(async () => {
            assertDone(await stage.run([{ say: 'Warm-up.' }]));
            const before = leftovers();
            for (let count = 0; count < RUNS; count += 1) {
              assertDone(await stage.run([{ say: 'Again.' }]));
            }
            await assertNoMoreThan(before);
          }),
        ),
    },
    {
      name: 'an answer is checked against its JSON Schema',
      proves: ['structuredOutput', 'outputSchema'],
      skip: capabilitiesOf(subject).features.structuredOutput ? undefined : 'no structured output',
      run: () =>
        inWorld(subject, async (stage) => {
          const outputSchema = {
            type: 'object',
            properties: { n: { type: 'number' } },
            required: ['n'],
            additionalProperties: false,
          };
          const wrong = await stage.run([{ say: '{"m": "x"}' }], { outputSchema });
          assert.equal(wrong.result.error?.code, 'schema_mismatch', JSON.stringify(wrong.result));
        }),
    },
  ];
}

/** Other programs use the temporary folder at the same time. */
async function withOwnTemporaryFolder(act: () => Promise<void>): Promise<void> {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  process.env.TMPDIR = folder;
  try {
    await act();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sockets close a moment after the run, and those of earlier runs may close meanwhile. */
async function assertNoMoreThan(before: Leftovers): Promise<void> {
  const deadline = performance.now() + CLOSING_MS;
  const hasMore = (now: Leftovers) =>
    now.descriptors > before.descriptors ||
    now.files > before.files ||
    now.listeners.some((count, index) => count > (before.listeners[index] ?? 0));
  while (hasMore(leftovers()) && performance.now() < deadline) await sleep(20);
  const after = leftovers();
  if (hasMore(after)) assert.deepEqual(after, before);
}

type Leftovers = { descriptors: number; files: number; listeners: number[] };

function leftovers(): Leftovers {
  const signals = ['SIGINT', 'SIGTERM', 'exit', 'uncaughtException'] as const;
  return {
    descriptors: count('/proc/self/fd'),
    files: readdirSync(tmpdir()).filter((name) => name.startsWith('baton-')).length,
    listeners: signals.map((signal) => process.listenerCount(signal)),
  };
}

function count(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}
