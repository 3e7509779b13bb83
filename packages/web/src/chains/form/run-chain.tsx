import type { ChainRecord, ChainRunRecord, ChainsFileRecord } from '@baton/client';
import { useId } from 'react';
import { useSearchParams } from 'wouter';
import { useMay } from '../../data/daemon.tsx';
import { useRecords } from '../../data/queries.ts';
import { QueryResult } from '../../data/query-result.tsx';
import { ButtonLink } from '../../design/button-link.tsx';
import { Empty } from '../../design/empty.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { PageFrame, Section } from '../../design/page-frame.tsx';
import { useTitle } from '../../shell/attention.ts';
import { useChainsFile } from '../file/chains-query.ts';
import { FileProblem } from '../file/file-problem.tsx';
import { TrustFile } from '../file/trust-file.tsx';
import { Graph } from '../graph/graph.tsx';
import { IsPlan } from '../graph/is-plan.ts';
import { stepTree } from '../graph/step-tree.ts';
import { InputForm } from './input-form.tsx';

/** The form that starts a chain; its address names the file, the chain and, for "Run again", an earlier run. */
export function RunChain() {
  const [params] = useSearchParams();
  const of = (name: string) => params.get(name) ?? '';
  const [path, name, from] = [of('file'), of('chain'), of('from')];
  useTitle(`Run ${name}`);
  const query = useChainsFile(path);
  const earlier = useRecords(['chainRuns', from], (client) => client.chainRuns.get(from), {
    enabled: from !== '',
  });
  return (
    <PageFrame title={`Run ${name}`} about={<LiteralText text={path} />}>
      <QueryResult query={query}>
        {(file) => {
          if (file?.problem) return <FileProblem problem={file.problem} />;
          const chain = file?.chains.find((each) => each.name === name);
          if (!file || !chain) return <Missing />;
          if (from === '') return <Chain file={file} chain={chain} />;
          return (
            <QueryResult query={earlier}>
              {(run) => <Chain file={file} chain={chain} earlier={run} />}
            </QueryResult>
          );
        }}
      </QueryResult>
    </PageFrame>
  );
}

type Props = { file: ChainsFileRecord; chain: ChainRecord; earlier?: ChainRunRecord };

function Chain({ file, chain, earlier }: Props) {
  const may = useMay('member');
  const reason = useId();
  return (
    <>
      {!file.trusted && <TrustFile file={file} reasonId={reason} />}
      {may ? (
        <InputForm {...{ file, chain, earlier }} reason={file.trusted ? undefined : reason} />
      ) : (
        <p>You have read-only access. Members and owners can run chains.</p>
      )}
      <Section title="Steps" about={chain.description}>
        <IsPlan value={true}>
          <Graph nodes={stepTree(chain.outline, new Map())} />
        </IsPlan>
      </Section>
    </>
  );
}

function Missing() {
  return (
    <Empty
      icon="question"
      title="Chain not found"
      actions={<ButtonLink href="/chains">Chains</ButtonLink>}
    >
      The file may have been moved or changed.
    </Empty>
  );
}
