import assert from 'node:assert/strict';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { BatonError } from '@baton/protocol/values';
import {
  all,
  assertDone,
  capabilitiesOf,
  finish,
  inWorld,
  lacking,
  type Stage,
} from '../stage/stage.ts';
import type {
  ConformanceCase,
  ConformanceSubject,
  FolderHook,
  ScriptStep,
} from '../stage/subject.ts';

/** Neither the settings in a folder nor files that an agent writes there extend permissions. */
export function trustCases(subject: ConformanceSubject): ConformanceCase[] {
  return [
    ...protectionCases(subject),
    ...permissiveSettingsCases(subject),
    ...narrowRuleCases(subject),
    ...folderCases(subject),
    ...programCases(subject),
  ];
}

function protectionCases(subject: ConformanceSubject): ConformanceCase[] {
  const { settingsPaths } = subject.backend;
  const { features, permissionModes } = capabilitiesOf(subject);
  const asks = features.permissions && permissionModes.includes('auto');
  const skip = asks ? lacking(subject, 'write') : 'the agent cannot ask in auto';
  return [
    {
      name: "names where a folder has the agent's settings",
      skip: subject.folderHooks.length > 0 ? undefined : 'it starts nothing from a folder',
      run: async () => assert.ok(settingsPaths.length > 0, 'settingsPaths is empty'),
    },
    {
      name: 'auto: an edit that would widen rights waits for a person',
      proves: ['auto'],
      skip,
      run: () =>
        inWorld(subject, async (stage) => {
          // A harmless name that links to the hooks of the repository.
          mkdirSync(join(stage.cwd, '.git/hooks'), { recursive: true });
          symlinkSync('.git', join(stage.cwd, 'documents'));
          // Names inside the workspace that lead out of it, and a path that does not pretend.
          const outside = join(dirname(stage.cwd), 'outside');
          mkdirSync(outside);
          symlinkSync(outside, join(stage.cwd, 'elsewhere'));
          const own = settingsPaths.map((name) => nested(stage.cwd, name));
          const paths = [
            ...own.map((path) => join(stage.cwd, path)),
            ...['.git/hooks/pre-commit', 'documents/hooks/pre-push', 'baton.json', '.envrc'].map(
              (path) => join(stage.cwd, path),
            ),
            join(stage.cwd, 'elsewhere/linked.txt'),
            join(outside, 'direct.txt'),
          ];
          const steps: ScriptStep[] = [
            ...paths.map((path) => ({ write: { path, content: 'x\n' } })),
            { write: { path: join(stage.cwd, 'plain.txt'), content: 'x\n' } },
            { say: 'Tried all.' },
          ];
          const asked: string[] = [];
          const ended = await stage.run(steps, {
            permissionMode: 'auto',
            onRequest: ({ kind, request }) => {
              if (kind === 'permission' && request.action.type === 'file.edit') {
                asked.push(...request.action.changes.map(({ path }) => path));
              }
              return { decision: 'deny', reason: 'No.' };
            },
          });
          assertDone(ended);
          assert.deepEqual(paths.filter(existsSync), [], 'written without asking');
          // Some agents reject a part of it themselves.
          const refused = all(ended.events, 'tool.completed')
            .filter(({ outcome }) => outcome === 'error')
            .map(({ action, output }) => JSON.stringify([action, output]));
          const isRefused = (path: string) => {
            const behindLinks = join(realpathSync(dirname(path)), basename(path));
            return refused.some((words) => words.includes(path) || words.includes(behindLinks));
          };
          const missing = paths.filter((path) => !asked.includes(path) && !isRefused(path));
          assert.deepEqual(missing, [], `asked for: ${asked.join(', ')}`);
          assert.equal(existsSync(join(stage.cwd, 'plain.txt')), true);
        }),
    },
  ];
}

function permissiveSettingsCases(subject: ConformanceSubject): ConformanceCase[] {
  const { allowEverything } = subject;
  if (!allowEverything) return [];
  return [
    {
      name: 'ask: settings of a trusted folder that allow everything change nothing',
      proves: ['ask'],
      run: () =>
        inWorld(subject, async (stage) => {
          allowEverything(stage.cwd);
          const asked: string[] = [];
          const steps: ScriptStep[] = [
            { write: { path: join(stage.cwd, 'plain.txt'), content: 'x\n' } },
            { shell: 'touch other.txt' },
            { say: 'Tried both.' },
          ];
          const ended = await stage.run(steps, {
            permissionMode: 'ask',
            trusted: true,
            onRequest: ({ kind, request }) => {
              if (kind === 'permission') asked.push(request.action.type);
              return { decision: 'deny', reason: 'No.' };
            },
          });
          assertDone(ended);
          assert.deepEqual(asked, ['file.edit', 'command']);
          const made = ['plain.txt', 'other.txt'].filter((name) =>
            existsSync(join(stage.cwd, name)),
          );
          assert.deepEqual(made, []);
        }),
    },
  ];
}

/** A file in a settings folder; a path whose last part has an extension, such as `.mcp.json`, is a file itself. */
function nested(cwd: string, name: string): string {
  if (/\.\w+$/.test(name.slice(1))) return name;
  mkdirSync(join(cwd, name), { recursive: true });
  return join(name, 'written.json');
}

function narrowRuleCases(subject: ConformanceSubject): ConformanceCase[] {
  const { narrowRule } = subject;
  if (!narrowRule) return [];
  return [
    {
      name: 'a narrow rule allows nothing else of its tool',
      proves: ['tools.allowed', 'toolFilters'],
      run: () =>
        inWorld(subject, async (stage) => {
          const allowed = [narrowRule('echo narrow')];
          const steps = [{ shell: 'touch other.txt' }, { say: 'Tried.' }];
          const ended = await stage.run(steps, {
            permissionMode: 'ask',
            tools: { allowed },
            onRequest: () => ({ decision: 'deny', reason: 'No.' }),
          });
          assertDone(ended);
          assert.equal(all(ended.events, 'permission.requested').length, 1);
          assert.equal(existsSync(join(stage.cwd, 'other.txt')), false);
        }),
    },
  ];
}

function folderCases(subject: ConformanceSubject): ConformanceCase[] {
  return subject.folderHooks.flatMap((trap) => [
    {
      name: `${trap.name} of a folder that nobody trusted does not start, and the user is told`,
      run: () =>
        inWorld(subject, async (stage) => {
          trap.plant(stage.cwd, commandOf(stage, false));
          // Before the run: a trap may bring further settings while it runs.
          const { settings } = subject.backend.trustOf(stage.options());
          const { events, started } = await runBeside(stage, trap, false);
          assert.equal(started, false, 'it was started');
          // The agent was refused, which says enough.
          if (events === undefined) return;
          const notices = all(events, 'notice').filter(({ code }) => code === 'folder_untrusted');
          assert.equal(notices.length, settings.length > 0 ? 1 : 0);
        }),
    },
    {
      name: `${trap.name} of a trusted folder starts`,
      skip: trap.isIgnored ? 'the agent never starts it' : undefined,
      run: () =>
        inWorld(subject, async (stage) => {
          trap.plant(stage.cwd, commandOf(stage, true));
          const { events, started } = await runBeside(stage, trap, true);
          assert.equal(started, true, 'it was not started, so the other case proves nothing');
          assert.ok(!all(events ?? [], 'notice').some(({ code }) => code === 'folder_untrusted'));
        }),
    },
  ]);
}

/** The file that a trap leaves when it springs. */
function markOf({ cwd }: Stage, trusted: boolean): string {
  return join(dirname(cwd), `started-${trusted}`);
}

function commandOf(stage: Stage, trusted: boolean): string {
  return `touch '${markOf(stage, trusted)}'`;
}

/** Runs the agent beside a trap; there are no events if it is refused because the folder is untrusted. */
async function runBeside(stage: Stage, { steps = [] }: FolderHook, trusted: boolean) {
  const hasStarted = () => existsSync(markOf(stage, trusted));
  try {
    const ended = await stage.run([...steps, { say: 'Hello.' }], {
      trusted,
      onRequest: () => ({ decision: 'allow' }),
    });
    assertDone(ended);
    return { events: ended.events, started: hasStarted() };
  } catch (error) {
    const isRefused = BatonError.is(error) && error.code === 'trust_required';
    if (!isRefused || trusted) throw error;
    return { events: undefined, started: hasStarted() };
  }
}

function programCases(subject: ConformanceSubject): ConformanceCase[] {
  const { lookup } = subject;
  if (!lookup) return [];
  return [
    {
      name: 'a program of its name in the workspace is never run',
      run: () =>
        inWorld(subject, async (stage) => {
          const mark = join(dirname(stage.cwd), 'planted');
          const planted = join(stage.cwd, 'node_modules/.bin', lookup.program);
          const real = join(dirname(stage.cwd), 'bin', lookup.program);
          for (const path of [planted, real]) mkdirSync(dirname(path), { recursive: true });
          const script = `#!/bin/sh\ntouch '${mark}'\n`;
          writeFileSync(planted, script, { mode: 0o755 });
          // What agents start by themselves.
          for (const name of ['git', 'node', 'sh', 'bash', 'rg']) {
            writeFileSync(join(dirname(planted), name), script, { mode: 0o755 });
          }
          writeFileSync(real, `#!/bin/sh\nexec '${lookup.path}' "$@"\n`, { mode: 0o755 });
          const PATH = [dirname(planted), dirname(real), process.env.PATH].join(delimiter);
          const backend = lookup.create();
          const options = stage.options({ env: { PATH } });
          await backend.probe(options);
          await backend.queryCatalog?.({ ...process.env, ...options.env }, [stage.cwd]);
          const ended = await finish(
            backend.run({ ...options, prompt: subject.prompt([{ say: 'Hello.' }]) }),
          );
          assertDone(ended);
          assert.equal(existsSync(mark), false, 'a program of the workspace was run');
          const notices = all(ended.events, 'notice').filter(
            ({ code }) => code === 'binary_skipped',
          );
          assert.deepEqual(
            notices.map(({ data }) => data),
            [{ path: planted }],
          );
        }),
    },
  ];
}
