import type { SessionRecord } from '@baton/protocol';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import styles from './finish-bar.module.css';
import { type Ending, FinishDialog } from './finish-dialog.tsx';

/** Ends of the work of a session, for its Changes view: a commit, a merge, a pull request, or the bin. */
export function FinishBar({ session }: { session: SessionRecord }) {
  const [action, setAction] = useState<Ending>();
  const { kind, base_ref } = session.workspace ?? {};
  const isWorktree = kind === 'worktree';
  return (
    <section className={styles.bar} aria-label="Finish">
      <Button small icon="check" onClick={() => setAction('commit')}>
        Commit…
      </Button>
      {isWorktree && (
        <>
          <Button small look="primary" icon="fork" onClick={() => setAction('merge')}>
            {base_ref ? `Merge into ${base_ref}…` : 'Merge…'}
          </Button>
          <Button small icon="link" onClick={() => setAction('pr')}>
            Create PR…
          </Button>
          <Button small look="quiet" icon="trash" onClick={() => setAction('discard')}>
            Discard…
          </Button>
        </>
      )}
      {action && (
        <FinishDialog key={action} {...{ session, action }} onClose={() => setAction(undefined)} />
      )}
    </section>
  );
}
