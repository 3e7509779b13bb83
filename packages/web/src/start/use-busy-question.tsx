import type { WorkspaceFolder } from '@baton/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { busyWords } from './workspace-choice.tsx';

type Decision = 'worktree' | 'in_place' | undefined;
type Asked = { folder: WorkspaceFolder; decide: (decision: Decision) => void };

/**
 * Asks before a session starts in a folder that another session works in. Returns the function that asks, which resolves
 * to undefined if the user cancels, and the dialog to render.
 */
export function useBusyQuestion(): [
  ask: (folder: WorkspaceFolder) => Promise<Decision>,
  dialog: ReactNode,
] {
  const [asked, setAsked] = useState<Asked>();
  const ask = async (folder: WorkspaceFolder) => {
    if (folder.busy.length === 0) return 'in_place';
    const { promise, resolve } = Promise.withResolvers<Decision>();
    setAsked({ folder, decide: resolve });
    const decision = await promise;
    setAsked(undefined);
    return decision;
  };
  return [ask, asked && <BusyDialog {...asked} />];
}

function BusyDialog({ folder, decide }: Asked) {
  const { busy, can_have_worktree: canHave } = folder;
  return (
    <Dialog
      title="Start in the same folder?"
      open
      onClose={() => decide(undefined)}
      actions={
        <>
          <Button look="quiet" onClick={() => decide(undefined)}>
            Cancel
          </Button>
          <Button onClick={() => decide('in_place')}>Start anyway</Button>
          {canHave && (
            <Button look="primary" onClick={() => decide('worktree')}>
              Use a worktree
            </Button>
          )}
        </>
      }
    >
      <p dir="auto">{busyWords(busy)}</p>
    </Dialog>
  );
}
