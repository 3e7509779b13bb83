import type { StepState } from '@baton/protocol';
import { useRef, useState } from 'react';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { TextArea } from '../../design/field.tsx';
import { Icon } from '../../design/icon.tsx';
import { useStable } from '../../guard/use-stable.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import styles from './chain-run-page.module.css';

type Props = { runId: string; step: StepState };

/** Asks for the decision about an approval step. */
export function Approval({ runId, step: { step, message = '' } }: Props) {
  const { client } = useDaemon();
  const may = useMay('member');
  const card = useRef<HTMLElement>(null);
  const isStable = useStable(card, step);
  const [comment, write] = useState('');
  const [isSent, setSent] = useState(false);
  const answer = async (decision: 'approve' | 'reject') => {
    setSent(true);
    const words = comment.trim();
    const isTaken = await attempt(() =>
      client.chainRuns.answer(runId, { step, decision, ...(words ? { comment: words } : {}) }),
    );
    if (!isTaken) setSent(false);
    makeStale('chainRuns');
  };
  const press = { busy: isSent, unstable: !isStable };
  return (
    <section ref={card} className={styles.approval} aria-label={`Approval ${step}`}>
      <header className={styles.head}>
        <Icon name="question" />
        <div role="status">
          <h2>Approval needed</h2>
        </div>
        <span className={styles.step}>{step}</span>
      </header>
      <div className={styles.message}>
        <Markdown text={message} />
      </div>
      {may ? (
        <>
          <TextArea
            label="Comment (optional)"
            grows
            dir="auto"
            value={comment}
            onChange={({ target }) => write(target.value)}
          />
          <div className={styles.ways} data-guarded="">
            <Button look="primary" icon="check" {...press} onClick={() => answer('approve')}>
              Approve
            </Button>
            <Button look="danger" icon="close" {...press} onClick={() => answer('reject')}>
              Reject
            </Button>
          </div>
        </>
      ) : (
        <p>Only members and owners can respond.</p>
      )}
    </section>
  );
}
