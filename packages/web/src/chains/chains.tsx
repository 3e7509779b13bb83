import { useParams, useSearch } from 'wouter';
import { PageFrame } from '../design/page-frame.tsx';
import { SubNav } from '../design/sub-nav.tsx';
import { useTitle } from '../shell/attention.ts';
import { RunChain } from './form/run-chain.tsx';
import { ChainsList } from './list/chains-list.tsx';
import { ChainRunView } from './run/chain-run-view.tsx';
import { RunHistory } from './runs/run-history.tsx';

const PARTS = [
  { path: '/chains', label: 'Chains', Part: ChainsList },
  { path: '/chains/runs', label: 'Runs', Part: RunHistory },
] as const;

/** The chains of agents: what can be run, and what was run. */
export function Chains() {
  useTitle('Chains');
  const search = useSearch();
  const { part, id } = useParams<{ part?: string; id?: string }>();
  if (part === 'runs' && id) return <ChainRunView key={id} id={id} />;
  if (part === 'new') return <RunChain key={search} />;
  const path = part ? `/chains/${part}` : '/chains';
  const { Part } = PARTS.find((each) => each.path === path) ?? PARTS[0];
  return (
    <PageFrame title="Chains">
      <SubNav label="Chain sections" ways={PARTS} />
      <Part />
    </PageFrame>
  );
}
