import type { ChainRunRecord } from '@baton/client';
import type { ChainState, ChainStatus } from '@baton/protocol';
import { useNow } from '../../data/now.ts';
import { Figures } from '../../design/figures.tsx';
import { compact, count, ESTIMATE_WORDS } from '../../text/amounts.ts';
import { duration, wholeSeconds } from '../../text/time.ts';
import type { StepNode } from '../graph/step-tree.ts';
import { CHAIN_LOOKS } from '../status/chain-status.ts';
import { costWords } from '../status/cost-words.ts';
import styles from './chain-run-page.module.css';
import { activeTime, countByStatus } from './run-state.ts';

type Props = {
  run: ChainRunRecord;
  chain: ChainState;
  status: ChainStatus;
  nodes: readonly StepNode[];
};

/** Status, progress, time and cost of a run. */
export function RunFigures({ run, chain, status, nodes }: Props) {
  const now = useNow();
  const { usage } = chain;
  const tokens = run.input_tokens + run.output_tokens;
  const { label, tone } = CHAIN_LOOKS[status];
  const { done, skipped, failed } = countByStatus(nodes);
  const time = activeTime(chain, now);
  const isStopping = chain.stopRequested && chain.outcome === undefined;
  return (
    <Figures
      label="Run"
      figures={[
        {
          label: 'Status',
          value: (
            <span role="status" className={styles.status} data-tone={tone}>
              {isStopping ? 'Stopping' : label}
            </span>
          ),
        },
        {
          label: 'Steps done',
          value: `${count(done)} of ${count(nodes.length)}`,
          about: [failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`]
            .filter(Boolean)
            .join(', '),
        },
        {
          label: 'Time',
          value: chain.runningSince === undefined ? duration(time) : wholeSeconds(time),
        },
        {
          label: 'Cost',
          value: costWords(usage) ?? '–',
          about: usage?.costEstimated ? ESTIMATE_WORDS : tokens > 0 && `${compact(tokens)} tokens`,
        },
      ]}
    />
  );
}
