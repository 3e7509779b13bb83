import { BatonError } from '@baton/protocol';
import { useRecords } from '../../data/queries.ts';
import { QueryResult } from '../../data/query-result.tsx';
import { ButtonLink } from '../../design/button-link.tsx';
import { Empty } from '../../design/empty.tsx';
import { PageFrame } from '../../design/page-frame.tsx';
import { ChainRunPage } from './chain-run-page.tsx';

/** Only the daemon knows whether a run was interrupted; no event says so. */
const EVERY_MS = 3000;

/** One run of a chain. */
export function ChainRunView({ id }: { id: string }) {
  const query = useRecords(['chainRuns', id], (client) => client.chainRuns.get(id), {
    everyMs: EVERY_MS,
  });
  const { data: run, error } = query;
  if (run?.chain_run_id === id) return <ChainRunPage run={run} />;
  if (BatonError.is(error) && error.code === 'not_found') {
    return (
      <Empty
        icon="question"
        title={error.message}
        actions={<ButtonLink href="/chains/runs">All runs</ButtonLink>}
      >
        It may have been deleted, or the URL is incomplete.
      </Empty>
    );
  }
  return (
    <PageFrame title="Chain run">
      <QueryResult query={query} lines={8}>
        {() => null}
      </QueryResult>
    </PageFrame>
  );
}
