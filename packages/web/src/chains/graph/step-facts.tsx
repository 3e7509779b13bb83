import type { StepState, Usage } from '@baton/protocol';
import { useNow } from '../../data/now.ts';
import { ESTIMATE_WORDS } from '../../text/amounts.ts';
import { duration, wholeSeconds } from '../../text/time.ts';
import { costWords } from '../status/cost-words.ts';
import styles from './graph.module.css';

type Props = { state: StepState; usage: Usage | undefined };

/** Duration, cost and number of attempts of a step. */
export function StepFacts({ state: { status, startedAt, endedAt, attempts }, usage }: Props) {
  const now = useNow();
  const cost = costWords(usage);
  if (status === 'skipped') return null;
  return (
    <ul className={styles.facts}>
      <li>
        {endedAt === undefined
          ? wholeSeconds(Math.max(0, now - startedAt))
          : duration(endedAt - startedAt)}
      </li>
      {cost && <li title={usage?.costEstimated ? ESTIMATE_WORDS : undefined}>{cost}</li>}
      {attempts > 1 && <li>attempt {attempts}</li>}
    </ul>
  );
}
