import { join } from 'node:path';
import { commitChanges } from '../finish/commit-changes.ts';
import { finishPlace } from '../finish/finish-place.ts';
import { mergeBranch } from '../finish/merge-branch.ts';
import { planMerge } from '../finish/plan-merge.ts';
import { Git } from '../git/git.ts';
import { MachineSlots } from '../git/machine-slots.ts';
import { Turn } from '../turn/turn.ts';
import { WorkspaceHome } from '../workspace-home.ts';
import { createWorktree } from '../worktree/create-worktree.ts';
import { removeWorktree, restoreWorktree } from '../worktree/remove-worktree.ts';
import { WorkspaceFiles } from '../worktree/workspace-files.ts';

const { operation, step, id, name, method, state, root, worktrees } = JSON.parse(
  process.argv[2] ?? '{}',
);
const git = new Git({ slots: new MachineSlots({ folder: join(state, 'slots') }) });
const files = new WorkspaceFiles({ stateFolder: state });
const onStep = (each: string): void => {
  if (each === step) process.kill(process.pid, 'SIGKILL');
};

// Loading this program takes longer than the operation.
process.stdout.write('begin\n');

if (operation === 'create') {
  await createWorktree({ git, files, source: root, folder: worktrees, name, onStep });
}
if (operation === 'remove')
  await removeWorktree({ git, files, id, force: true, deleteBranch: true, onStep });
if (operation === 'turn') {
  const home = new WorkspaceHome({ stateFolder: state, folder: worktrees });
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
if (operation === 'restore') await restoreWorktree({ git, files, id, onStep });
if (operation === 'commit' || operation === 'merge') {
  const home = new WorkspaceHome({ stateFolder: state, folder: worktrees });
  const place = await finishPlace(home, files.get(id).path);
  const options = { message: 'work', onStep };
  if (operation === 'commit') await commitChanges(home, place, options);
  else {
    const plan = await planMerge(home, place, { method, target: 'main' });
    await mergeBranch(home, place, plan, options);
  }
}
