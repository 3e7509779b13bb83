import type { ChainRunRecord } from '@baton/client';
import { CHAIN_STATUSES } from '@baton/protocol';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useNow } from '../../data/now.ts';
import { useRecords } from '../../data/queries.ts';
import { QueryResult } from '../../data/query-result.tsx';
import { Button } from '../../design/button.tsx';
import { ButtonLink } from '../../design/button-link.tsx';
import { ClampedLink } from '../../design/clamped-link.tsx';
import { Empty } from '../../design/empty.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';
import { cost, ESTIMATE_WORDS } from '../../text/amounts.ts';
import { duration, timeAgo, wholeSeconds } from '../../text/time.ts';
import { CHAIN_LOOKS } from '../status/chain-status.ts';
import { StatusBadge } from '../status/status-badge.tsx';
import { RunFilter } from './run-filter.tsx';

const PAGE = 50;
const EVERY_MS = 5000;

/** All runs of chains, the newest first. The filter is part of the URL, so a link shows the same runs. */
export function RunHistory() {
  const [params, setParams] = useSearchParams();
  const [limit, setLimit] = useState(PAGE);
  const chain = params.get('chain') ?? '';
  const status = CHAIN_STATUSES.find((each) => each === params.get('status'));
  const query = useRecords(
    ['chainRuns', 'list', chain, status, limit],
    (client) => client.chainRuns.find({ limit, ...given({ chain, status }) }),
    { everyMs: EVERY_MS },
  );
  const filter = (next: { chain: string; status: string }) => {
    setLimit(PAGE);
    setParams(given(next), { replace: true });
  };
  const isFiltered = chain !== '' || status !== undefined;
  return (
    <Section
      title="Runs"
      about="All runs of chains, newest first."
      actions={
        <RunFilter
          chain={chain}
          status={status ?? ''}
          seen={query.data?.data.map((run) => run.chain) ?? []}
          onChange={filter}
        />
      }
    >
      <QueryResult query={query}>
        {({ data, total }) => (
          <>
            <Rows
              label="Chain runs"
              empty={isFiltered ? <NoMatch onClear={() => filter(NO_FILTER)} /> : <NoRuns />}
            >
              {data.map((run) => (
                <RunRow key={run.chain_run_id} run={run} />
              ))}
            </Rows>
            {total > data.length && (
              <Button onClick={() => setLimit(limit + PAGE)}>Show more</Button>
            )}
          </>
        )}
      </QueryResult>
    </Section>
  );
}

const NO_FILTER = { chain: '', status: '' };

/** The parts of a filter that are set. */
function given<Status extends string>({
  chain,
  status,
}: {
  chain: string;
  status?: Status | undefined;
}) {
  return { ...(chain === '' ? {} : { chain }), ...(status ? { status } : {}) };
}

function RunRow({ run }: { run: ChainRunRecord }) {
  const now = useNow();
  const { chain_run_id, chain, cwd, status, created_at, completed_at } = run;
  const { cost_usd, cost_estimated } = run;
  const end = completed_at === null ? now : Date.parse(completed_at);
  const time = Math.max(0, end - Date.parse(created_at));
  return (
    <Row
      title={
        <ClampedLink href={`/chains/runs/${chain_run_id}`} lines={2}>
          {chain}
        </ClampedLink>
      }
      badges={<StatusBadge look={CHAIN_LOOKS[status]} />}
      facts={[
        <LiteralText key="folder" text={cwd} />,
        <time key="started" dateTime={created_at} title={new Date(created_at).toLocaleString()}>
          started {timeAgo(created_at, now)}
        </time>,
        completed_at === null ? `for ${wholeSeconds(time)}` : `took ${duration(time)}`,
        cost_usd > 0 && (
          <span key="cost" title={cost_estimated ? ESTIMATE_WORDS : undefined}>
            {cost(cost_usd, { isEstimated: cost_estimated })}
          </span>
        ),
      ]}
    />
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Empty
      icon="search"
      title="No runs match these filters"
      actions={
        <Button icon="close" onClick={onClear}>
          Clear filters
        </Button>
      }
    />
  );
}

function NoRuns() {
  return (
    <Empty
      icon="chain"
      title="No runs yet"
      actions={<ButtonLink href="/chains">Chains</ButtonLink>}
    >
      Run a chain, and follow its steps here.
    </Empty>
  );
}
