import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode, RunOptions } from '@baton/protocol/values';
import { finish, first, inWorld } from '../stage/stage.ts';
import type { ConformanceCase, ConformanceSubject, FailureKind } from '../stage/subject.ts';

const CODES: Readonly<Record<FailureKind, readonly ErrorCode[]>> = {
  auth: ['auth_missing'],
  rate_limited: ['rate_limited'],
  overloaded: ['overloaded', 'provider_error'],
  server_error: ['provider_error', 'overloaded'],
  quota: ['quota_exhausted'],
  context_too_long: ['context_too_long'],
};

/** Programs that are not the agent, and what is to be said of them. */
const IMPOSTORS: readonly {
  name: string;
  body: string;
  codes: readonly ErrorCode[];
  options?: Partial<RunOptions>;
}[] = [
  { name: 'prints nothing', body: 'exit 0', codes: ['output_unreadable', 'output_truncated'] },
  {
    name: 'prints garbage',
    body: 'cat >/dev/null & echo "}{ not json"; printf "\\377\\376\\n"; exit 0',
    codes: ['output_unreadable', 'output_truncated'],
  },
  {
    name: 'exits before it reads its input',
    body: 'echo "no such thing" >&2; exit 3',
    codes: ['agent_crashed'],
  },
  {
    name: 'never exits and says nothing',
    body: 'exec sleep 300',
    codes: ['stalled'],
    options: { timeouts: { startMs: 1000 } },
  },
  {
    name: 'forks and exits',
    body: '(setsid sleep 300 &) ; exit 0',
    codes: ['output_unreadable', 'output_truncated'],
  },
  { name: 'is killed', body: 'kill -9 $$', codes: ['interrupted', 'agent_crashed'] },
];

/** Failures have a code, a sentence and a hint, and leave nothing behind. */
export function failureCases(subject: ConformanceSubject): ConformanceCase[] {
  const provider = subject.failures.map(
    (kind): ConformanceCase => ({
      name: `a provider that answers ${kind} fails the run with its code`,
      run: () =>
        inWorld(subject, async (stage) => {
          const { result } = await stage.run([{ fail: kind }]);
          assert.equal(result.outcome, 'failed');
          assert.ok(
            CODES[kind].includes(result.error?.code as ErrorCode),
            `${result.error?.code}: ${result.error?.message}`,
          );
          assert.ok(result.error?.message && result.error.hint);
        }),
    }),
  );
  return [...provider, ...impostorCases(subject), ...badRequestCases(subject)];
}

function impostorCases(subject: ConformanceSubject): ConformanceCase[] {
  const skip = subject.withBinary ? undefined : 'the program of the agent cannot be replaced';
  const replaced = (
    name: string,
    make: (folder: string) => string,
    codes: readonly ErrorCode[],
    options: Partial<RunOptions> = {},
  ) => ({
    name: `a program that ${name} gives ${codes.join(' or ')}`,
    skip,
    run: () =>
      inWorld(subject, async (stage) => {
        const path = make(stage.cwd);
        const backend = subject.withBinary?.(path);
        assert.ok(backend);
        const run = backend.run({ ...stage.options(options), prompt: 'Hello.' });
        const { events, result } = await finish(run);
        first(events, 'run.started');
        assert.notEqual(result.outcome, 'done');
        assert.ok(codes.includes(result.error?.code as ErrorCode), JSON.stringify(result.error));
      }),
  });
  return [
    ...IMPOSTORS.map(({ name, body, codes, options }) =>
      replaced(name, (folder) => script(folder, body), codes, options),
    ),
    replaced('does not exist', (folder) => join(folder, 'nowhere'), ['backend_not_found']),
    replaced('is a directory', (folder) => folder, ['backend_not_executable']),
    replaced('is not executable', (folder) => file(folder, '#!/bin/sh\n', 0o644), [
      'backend_not_executable',
    ]),
    replaced('is made for another machine', (folder) => file(folder, foreignProgram(), 0o755), [
      'backend_not_executable',
    ]),
  ];
}

function badRequestCases(subject: ConformanceSubject): ConformanceCase[] {
  const refused = (
    name: string,
    request: Partial<RunOptions> & { prompt?: string },
    ...codes: ErrorCode[]
  ): ConformanceCase => ({
    name: `${name} is refused before anything starts`,
    run: () =>
      inWorld(subject, async (stage) => {
        const started = () =>
          subject.backend.run({ ...stage.options(), prompt: 'Hello.', ...request });
        assert.throws(
          started,
          (error: { code?: ErrorCode; hint?: string }) =>
            error.code !== undefined && codes.includes(error.code) && Boolean(error.hint),
        );
      }),
  });
  return [
    refused('an empty prompt', { prompt: '  ' }, 'usage'),
    refused('a prompt with NUL', { prompt: 'a\0b' }, 'usage'),
    refused('a folder that does not exist', { cwd: '/does/not/exist' }, 'cwd_missing'),
    refused('an unknown permission mode', { permissionMode: 'yolo' as 'ask' }, 'usage'),
    refused('an unknown transport', { transport: 'pigeon' }, 'usage'),
    refused('a fork of nothing', { fork: true }, 'usage', 'capability_missing'),
  ];
}

/** The first bytes of a program for a processor that this machine does not have. */
function foreignProgram(): string {
  const machine = process.arch === 'arm64' ? 62 : 183;
  return `\u007fELF\u0002\u0001\u0001${'\0'.repeat(9)}\u0002\0${String.fromCharCode(machine)}\0${'\0'.repeat(44)}`;
}

function script(folder: string, body: string): string {
  return file(folder, `#!/bin/sh\n${body}\n`, 0o755);
}

function file(folder: string, content: string, mode: number): string {
  const path = join(folder, 'impostor');
  writeFileSync(path, content, 'latin1');
  chmodSync(path, mode);
  return path;
}
