import { Markdown } from '../../markdown/markdown.tsx';
import type { MessageEntry } from '../entry-of.ts';
import { Fold } from '../fold.tsx';
import styles from './entries.module.css';

/** What the agent says or thinks. */
export function MessageView({ entry }: { entry: MessageEntry }) {
  if (entry.kind === 'thinking') return <Thinking entry={entry} />;
  return (
    <div>
      <Markdown text={entry.text} />
      {entry.incomplete && <p className={styles.broken}>It broke off here.</p>}
    </div>
  );
}

function Thinking({ entry: { cursor, text, open } }: { entry: MessageEntry }) {
  const hint = text.trimStart().slice(0, 160).split('\n')[0] ?? '';
  return (
    <Fold
      place={`thinking ${cursor}`}
      icon="thinking"
      look="plain"
      title={
        <>
          {open ? 'Thinking' : 'Thought'}
          <span className={styles.hint}>{hint}</span>
        </>
      }
    >
      {text !== '' && <Markdown text={text} />}
    </Fold>
  );
}
