import { actionLine } from '@baton/protocol';
import { LiteralText } from '../../design/literal-text.tsx';
import { useOpen } from '../feed/open-session.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { Checklist } from './checklist.tsx';
import { Collapsible } from './collapsible.tsx';
import type { FileEntry, PlanListEntry } from './entry-of.ts';

/** The plan of the agent, as far as it has come. */
export function PlanCard({ entry: { cursor, entries } }: { entry: PlanListEntry }) {
  const done = entries.filter(({ status }) => status === 'completed').length;
  return (
    <Collapsible
      place={`plan ${cursor}`}
      icon="plan"
      title="Plan"
      aside={`${done} of ${entries.length}`}
      atFirst
    >
      <Checklist entries={entries} />
    </Collapsible>
  );
}

/** A file that changed without a tool that says so. */
export function FileCard({ entry: { cursor, change } }: { entry: FileEntry }) {
  const { cwd } = useOpen();
  const action = { type: 'file.edit' as const, changes: [change] };
  return (
    <Collapsible
      place={`file ${cursor}`}
      icon="file"
      title={<LiteralText text={actionLine('', action, cwd)} />}
      atFirst={change.diff !== undefined}
    >
      <ChangedFiles changes={[change]} />
    </Collapsible>
  );
}
