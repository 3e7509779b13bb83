import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitChanges } from '../finish/commit-changes.ts';
import { finishPlace } from '../finish/finish-place.ts';
import { mergeBranch } from '../finish/merge-branch.ts';
import { planMerge } from '../finish/plan-merge.ts';
import { runTrain } from '../finish/train.ts';
import { Git } from '../git/git.ts';
import { MachineSlots } from '../git/machine-slots.ts';
import { createCheckpoint } from '../snapshot/checkpoints.ts';
import { Turn } from '../turn/turn.ts';
import { undoTurn } from '../turn/undo-turn.ts';
import { WorkspaceHome } from '../workspace-home.ts';
import { createWorktree } from '../worktree/create-worktree.ts';
import { reconcile } from '../worktree/reconcile.ts';
import { removeWorktree, restoreWorktree } from '../worktree/remove-worktree.ts';
import { publicRecord, WorkspaceFiles } from '../worktree/workspace-files.ts';

const { operation, step, call, id, name, method, state, root, worktrees, cwd, edits, session } =
  JSON.parse(process.argv[2] ?? '{}');
const git = new Git({ slots: new MachineSlots({ folder: join(state, 'slots') }) });
const home = new WorkspaceHome({ stateFolder: state, folder: worktrees });

/** Kills this process before a call of git, counted from now. */
function killAtCall(): void {
  let left = call ?? Number.POSITIVE_INFINITY;
  for (const each of [git, home.git]) {
    const run = each.run.bind(each);
    each.run = (args, options) => {
      if (left-- === 0) process.kill(process.pid, 'SIGKILL');
      return run(args, options);
    };
  }
}

/** A turn of an agent that makes some edits; it is killed in its beginning or its end. */
async function takeTurn(part: 'begin' | 'end'): Promise<void> {
  const record = id === undefined ? undefined : files.get(id);
  if (part === 'begin') killAtCall();
  const turn = await Turn.begin({
    ...{ home, sessionId: session, taskId: session, cwd, onEvent: () => {} },
    workspace: record && publicRecord(record),
  });
  for (const [path, content] of Object.entries<string>(edits)) {
    writeFileSync(join(turn.cwd, path), content);
  }
  if (part === 'end') killAtCall();
  await turn.end();
}
const files = new WorkspaceFiles({ stateFolder: state });
const onStep = (each: string): void => {
  if (each === step) process.kill(process.pid, 'SIGKILL');
};

// Loading this program takes longer than the operation.
process.stdout.write('begin\n');

if (operation === 'turn begin') await takeTurn('begin');
else if (operation === 'turn end') await takeTurn('end');
else killAtCall();
if (operation === 'checkpoint') {
  await createCheckpoint(await home.open(cwd), { kind: 'before', sessionId: session });
}
if (operation === 'undo') await undoTurn(await home.open(cwd), { sessionId: session });
if (operation === 'reconcile') await reconcile({ git, files });

if (operation === 'create') {
  await createWorktree({ git, files, source: root, folder: worktrees, name, onStep });
}
if (operation === 'remove')
  await removeWorktree({ git, files, id, force: true, deleteBranch: true, onStep });
if (operation === 'turn') {
  const projects = { [root]: { workspace: { setup: 'exit 0' } } };
  await Turn.begin({
    ...{ home, sessionId: 's', taskId: 't', cwd: root, request: { kind: 'worktree', name } },
    user: { path: 'config.json', projects, trusted: [], untrusted: [] },
    onWorktree() {},
    onEvent() {},
    async runSetup() {
      onStep('setting_up');
      return 0;
    },
  });
  onStep('in_use');
}
if (operation === 'train') {
  const paths = Object.keys(edits);
  await runTrain(
    home,
    { paths, target: 'main', method: 'squash', check: 'true' },
    { onEntry: ({ state }) => onStep(state) },
  );
}
if (operation === 'restore') await restoreWorktree({ git, files, id, onStep });
if (operation === 'commit' || operation === 'merge') {
  const place = await finishPlace(home, files.get(id).path);
  const options = { message: 'work', onStep };
  if (operation === 'commit') await commitChanges(home, place, options);
  else {
    const plan = await planMerge(home, place, { method, target: 'main' });
    await mergeBranch(home, place, plan, options);
  }
}
