import type { ChainRecord, ChainsFileRecord } from '@baton/client';
import { useId } from 'react';
import { useMay } from '../../data/daemon.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { ButtonLink } from '../../design/button-link.tsx';
import { LiteralText } from '../../design/literal-text.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';
import { some } from '../../text/amounts.ts';
import { folderName } from '../../text/folder-name.ts';
import { FileProblem } from '../file/file-problem.tsx';
import { TrustFile } from '../file/trust-file.tsx';
import { formPath } from '../form/form-path.ts';
import { countSteps } from '../graph/step-tree.ts';

/** One chains file: its chains, or what has to be done before they can run. */
export function ChainsFile({ file }: { file: ChainsFileRecord }) {
  const { file: path, folder, trusted, problem, chains } = file;
  const reason = useId();
  return (
    <Section
      title={folderName(folder)}
      about={<LiteralText text={path} />}
      actions={problem === null && <TrustBadge trusted={trusted} />}
    >
      {problem !== null && <FileProblem problem={problem} />}
      {problem === null && !trusted && <TrustFile file={file} reasonId={reason} />}
      {chains.length > 0 && (
        <Rows label={`Chains in ${path}`}>
          {chains.map((chain) => (
            <ChainRow key={chain.name} {...{ file, chain, reason }} />
          ))}
        </Rows>
      )}
    </Section>
  );
}

function TrustBadge({ trusted }: { trusted: boolean }) {
  return <Badge tone={trusted ? 'good' : 'warn'}>{trusted ? 'Trusted' : 'Not trusted'}</Badge>;
}

type RowProps = { file: ChainsFileRecord; chain: ChainRecord; reason: string };

function ChainRow({ file, chain: { name, description, inputs, outline }, reason }: RowProps) {
  const may = useMay('member');
  return (
    <Row
      title={<bdi>{name}</bdi>}
      facts={[
        description && <bdi key="about">{description}</bdi>,
        some(countSteps(outline), 'step'),
        inputs.length > 0 && some(inputs.length, 'input'),
      ]}
      actions={
        may &&
        (file.trusted ? (
          <ButtonLink small icon="play" href={formPath(file.file, name)} label={`Run ${name}`}>
            Run
          </ButtonLink>
        ) : (
          <Button small icon="play" disabled aria-label={`Run ${name}`} aria-describedby={reason}>
            Run
          </Button>
        ))
      }
    />
  );
}
