import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatonClient } from '@baton/client';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { addressIn, login } from '../packages/cli/src/testing/served.ts';
import { codeBlocks } from '../scripts/docs-blocks.ts';

const ROOT = join(import.meta.dirname, '..');
/** Last commits of earlier versions, the newest last. None of them knows worktrees. */
const PREVIOUS = [
  '0c25a015e2ddf2a289bac6a49422c21b3b3c3748',
  '0a7a09f784edc5d96ed3e3c2a2df5fbe180a8047',
];

function isKnown(commit: string): boolean {
  return spawnSync('git', ['cat-file', '-e', commit], { cwd: ROOT }).status === 0;
}

/** Unpacks an earlier version; it runs from its source, with the dependencies of this one. */
function earlierVersion(commit: string, folder: string): string {
  const place = join(folder, 'previous');
  mkdirSync(join(place, 'node_modules/@baton'), { recursive: true });
  const archive = execFileSync('git', ['archive', commit, 'packages', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  });
  execFileSync('tar', ['-x', '-C', place], { input: archive });
  const modules = join(ROOT, 'node_modules');
  for (const name of readdirSync(modules)) {
    if (name !== '@baton') symlinkSync(join(modules, name), join(place, 'node_modules', name));
  }
  for (const name of readdirSync(join(place, 'packages'))) {
    symlinkSync(join(place, 'packages', name), join(place, 'node_modules/@baton', name));
  }
  return join(place, 'packages/cli/src/main.ts');
}

class World {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'baton-upgrade-')));
  readonly env = { ...process.env, HOME: this.home, BATON_DEMO_PACE: '0' };
  #port = 0;
  #token = '';

  constructor() {
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true, maxRetries: 10 }));
  }

  async serve(main: string, ...more: string[]) {
    const args = [main, 'serve', '--port', `${this.#port}`, ...more];
    const child = spawn(process.execPath, args, {
      env: this.env,
      cwd: this.home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
    }
    const exited = once(child, 'exit');
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await exited;
    };
    onTestFinished(() => end('SIGKILL'));
    await vi.waitFor(() => expect(said).toMatch(/is ready at \S+/));
    const { url, secret } = addressIn(/http\S+/.exec(said)?.[0] ?? '');
    this.#port = Number(new URL(url).port);
    if (secret) this.#token = await login({ url, secret });
    const client = new BatonClient({ url, token: this.#token });
    onTestFinished(() => client.close());
    return { client, end, said: () => said };
  }
}

const script = (...steps: object[]) => `demo:script ${JSON.stringify(steps)}`;

function makeRepository(folder: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args]);
  mkdirSync(folder);
  git('init', '--quiet');
  git(
    '-c',
    'user.name=U',
    '-c',
    'user.email=u@localhost',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'first',
  );
}

async function untilDone(client: BatonClient, task: string, output: string): Promise<void> {
  await vi.waitFor(async () =>
    expect(await client.tasks.get(task)).toMatchObject({ status: 'COMPLETED', output }),
  );
}

test.for(PREVIOUS)(
  'data and work of %s survive an upgrade, and the way back',
  async (commit, context) => {
    if (!isKnown(commit)) context.skip(`the history of this clone has no ${commit}`);
    const world = new World();
    const previous = earlierVersion(commit, world.home);
    const state = join(world.home, '.baton/daemon');

    const old = await world.serve(previous);
    const { session_id } = await old.client.sessions.create({ cwd: world.home, backend: 'demo' });
    const run = (client: BatonClient, ...steps: object[]) =>
      client.sessions.executeTask(session_id, { prompt: script(...steps) });
    const first = await run(old.client, { say: 'Before the upgrade.' });
    await untilDone(old.client, first.task_id, 'Before the upgrade.');
    const asking = await run(old.client, { shell: 'echo ran >> ran' }, { say: 'Asked before.' });
    const queued = await run(old.client, { say: 'Queued before.' });
    await vi.waitFor(async () =>
      expect((await old.client.permissions.find()).data).toHaveLength(1),
    );
    // The previous version would cancel its tasks if it was told to stop.
    await old.end('SIGKILL');

    const now = await world.serve(inject('baton'));
    const copies = readdirSync(state).filter((name) => name.startsWith('baton.db.before-'));
    expect(copies).toHaveLength(1);
    expect(now.said()).toContain(`Its previous version is kept in ${join(state, copies[0] ?? '')}`);
    const [request] = (await now.client.permissions.find()).data;
    await now.client.permissions.answer({
      session_id,
      task_id: asking.task_id,
      request_id: request?.request_id ?? '',
      answer: { decision: 'allow' },
    });
    await untilDone(now.client, asking.task_id, 'Asked before.');
    await untilDone(now.client, queued.task_id, 'Queued before.');
    expect(existsSync(join(world.home, 'ran'))).toBe(true);
    const repository = join(world.home, 'repository');
    makeRepository(repository);
    const apart = await now.client.sessions.create({
      cwd: repository,
      backend: 'demo',
      workspace: { kind: 'worktree' },
    });
    const { task_id: inWorktree } = await now.client.sessions.executeTask(apart.session_id, {
      prompt: script({ say: 'In a worktree.' }),
    });
    await untilDone(now.client, inWorktree, 'In a worktree.');
    await now.client.trustedFolders.create({ folder: world.home, trusted: true });
    await now.end('SIGTERM');

    const refused = spawnSync(process.execPath, [previous, 'serve', '--port', '0'], {
      env: world.env,
      encoding: 'utf8',
    });
    expect(refused.stderr).toContain('written by a newer version');

    const [goBack] = codeBlocks().filter(({ code }) => code.includes('ls -t baton.db.before-'));
    execFileSync('sh', ['-e', '-c', goBack?.code ?? 'exit 1'], { env: world.env });
    const back = await world.serve(previous);
    expect(await back.client.tasks.get(first.task_id)).toMatchObject({ status: 'COMPLETED' });
    const other = await back.client.sessions.create({ cwd: world.home, backend: 'demo' });
    const again = await back.client.sessions.executeTask(other.session_id, {
      prompt: script({ say: 'Back again.' }),
    });
    await untilDone(back.client, again.task_id, 'Back again.');
    await back.end('SIGTERM');
  },
);
