import type { ReactNode } from 'react';
import { Markdown } from '../../markdown/markdown.tsx';
import { Checklist } from '../checklist.tsx';
import type { ToolEntry } from '../entry-of.ts';
import { Nested } from '../nested.tsx';
import { Output } from '../output.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { JsonView } from './json-view.tsx';
import styles from './tools.module.css';

type Props = { entry: ToolEntry; inside: readonly number[] };

/** What there is to see of a tool call behind its first line. */
export function ToolBody({ entry, inside }: Props) {
  const { cursor, output, outputCut } = entry;
  return (
    <>
      {detailsOf(entry)}
      {inside.length > 0 && <Nested cursors={inside} />}
      {isWorthShowing(entry) && <Output place={`output ${cursor}`} text={output} cut={outputCut} />}
    </>
  );
}

function detailsOf({ action, input, cursor }: ToolEntry): ReactNode {
  switch (action.type) {
    case 'command':
      if (action.command.length <= 80 && !action.command.includes('\n')) return null;
      return <pre className={styles.command}>{action.command}</pre>;
    case 'file.edit':
      return <ChangedFiles changes={action.changes} />;
    case 'file.read':
    case 'search':
      return null;
    case 'fetch':
      return <p className={styles.words}>{action.url ?? action.query}</p>;
    case 'plan':
      return (
        <>
          {action.text && <Words text={action.text} />}
          {action.entries && <Checklist entries={action.entries} />}
        </>
      );
    case 'subagent':
      return action.prompt ? <Words text={action.prompt} /> : null;
    case 'mcp':
      return <JsonView place={`input ${cursor}`} value={action.arguments ?? input} />;
    default:
      return <JsonView place={`input ${cursor}`} value={input ?? action} />;
  }
}

function Words({ text }: { text: string }) {
  return (
    <div className={styles.words}>
      <Markdown text={text} />
    </div>
  );
}

/** What a tool says when it has edited a file repeats what is seen already. */
function isWorthShowing({ action, outcome, output }: ToolEntry): boolean {
  if (output.trim() === '') return false;
  if (action.type === 'plan') return outcome !== 'ok';
  return (
    action.type !== 'file.edit' || outcome !== 'ok' || action.changes.every(({ diff }) => !diff)
  );
}
