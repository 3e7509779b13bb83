import type { OutlineStep } from '@baton/protocol';
import { useId, useState } from 'react';
import { Icon } from '../../design/icon.tsx';
import { CHAIN_LOOKS } from '../status/chain-status.ts';
import { costWords } from '../status/cost-words.ts';
import { StatusBadge } from '../status/status-badge.tsx';
import styles from './graph.module.css';
import { Graph } from './graph.tsx';
import { StepBox } from './step-box.tsx';
import type { Iteration } from './step-tree.ts';

type Props = { outline: OutlineStep; iteration: Iteration; isLast: boolean };

/** One iteration; those that are over are folded, except the last one and those that failed. */
export function IterationGroup({ outline, iteration, isLast }: Props) {
  const { number, status, state, steps, usage, path } = iteration;
  const [chosen, choose] = useState<boolean>();
  const id = useId();
  const name = `${outline.kind === 'forEach' ? 'Item' : 'Iteration'} ${number}`;
  if (outline.kind === 'agent') {
    const once = { ...outline, iterations: undefined };
    return <StepBox outline={once} state={state} usage={usage} path={path} name={name} />;
  }
  const isOpen = chosen ?? (isLast || status !== 'done');
  const cost = costWords(usage);
  return (
    <div className={styles.iteration}>
      <button
        type="button"
        className={styles.fold}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => choose(!isOpen)}
      >
        <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={14} />
        {name}
        {cost && <span className={styles.detail}>{cost}</span>}
        {status && (
          <span className={styles.status}>
            <StatusBadge look={CHAIN_LOOKS[status]} />
          </span>
        )}
      </button>
      {isOpen && (
        <div id={id}>
          <Graph nodes={steps} label={`Steps of ${name.toLowerCase()}`} />
        </div>
      )}
    </div>
  );
}
