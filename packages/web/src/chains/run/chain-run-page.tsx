import type { ChainRunRecord } from '@baton/client';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { troubleOf } from '../../data/attempt.ts';
import { useNow } from '../../data/now.ts';
import { usePeople } from '../../data/people.ts';
import { Loading } from '../../design/empty.tsx';
import { Facts } from '../../design/facts.tsx';
import { Icon } from '../../design/icon.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { PageFrame, Section } from '../../design/page-frame.tsx';
import { Trouble } from '../../design/trouble.tsx';
import { useTitle } from '../../shell/attention.ts';
import { timeAgo } from '../../text/time.ts';
import { Graph } from '../graph/graph.tsx';
import { stepTree } from '../graph/step-tree.ts';
import { Approval } from './approval.tsx';
import styles from './chain-run-page.module.css';
import { RunActions } from './run-actions.tsx';
import { RunFigures } from './run-figures.tsx';
import { pendingApprovals, statusOf } from './run-state.ts';
import { useChainFeed } from './use-chain-feed.ts';

/** A run with its live graph, what waits for a person, and what can be done with it. */
export function ChainRunPage({ run }: { run: ChainRunRecord }) {
  const { chain_run_id, chain: name, outline } = run;
  useTitle(name);
  const { chain, error } = useChainFeed(chain_run_id);
  const nodes = useMemo(() => stepTree(outline, chain?.steps ?? new Map()), [outline, chain]);
  const status = statusOf(run, chain);
  const isOver = chain?.outcome !== undefined;
  return (
    <PageFrame
      title={name}
      about={<About run={run} />}
      actions={<RunActions run={run} status={status} isStopping={chain?.stopRequested ?? false} />}
    >
      {error !== undefined && <Trouble {...troubleOf(error)} />}
      {chain?.error && <Trouble message={chain.error.message} hint={chain.error.hint} />}
      {chain &&
        !isOver &&
        pendingApprovals(chain).map((step) => (
          <Approval key={step.step} runId={chain_run_id} step={step} />
        ))}
      {chain ? <RunFigures {...{ run, chain, status, nodes }} /> : <Loading lines={2} />}
      {chain?.notices.map(({ step, message }) => (
        <p key={`${step} ${message}`} className="sign-line">
          <Icon name="info" size={14} />
          {step ? `${step}: ${message}` : message}
        </p>
      ))}
      <Section title="Steps">{chain ? <Graph nodes={nodes} /> : <Loading lines={6} />}</Section>
      <Inputs inputs={run.inputs} />
    </PageFrame>
  );
}

function About({ run: { cwd, created_at, created_by, chain } }: { run: ChainRunRecord }) {
  const now = useNow();
  const person = usePeople()(created_by);
  return (
    <span className={styles.about}>
      <LiteralText text={cwd} />
      <span>
        Started {timeAgo(created_at, now)}
        {person && ` by ${person}`}.{' '}
        <Link href={`/chains/runs?${new URLSearchParams({ chain })}`}>All runs of this chain</Link>
      </span>
    </span>
  );
}

function Inputs({ inputs }: Pick<ChainRunRecord, 'inputs'>) {
  const entries = Object.entries(inputs);
  if (entries.length === 0) return null;
  return (
    <Section title="Inputs">
      <Facts
        facts={entries.map(([name, value]) => [
          name,
          <span key={name} className={styles.value} dir="auto">
            {value === '' ? 'empty' : value}
          </span>,
        ])}
      />
    </Section>
  );
}
