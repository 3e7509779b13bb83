import { Button } from '../../design/button.tsx';
import { Markdown } from '../../markdown/markdown.tsx';
import { bytes } from '../../text/amounts.ts';
import { firstLines } from '../../text/first-lines.ts';
import { useUnfolded } from '../feed/open-session.tsx';
import { Collapsible } from './collapsible.tsx';
import styles from './entries.module.css';
import type { MessageEntry } from './entry-of.ts';

/** Characters that are shown before the user asks for more: rendering is slow, and repeats for every delta. */
const MOST = 50_000;

/** A message or a thought of the agent. */
export function MessageView({ entry }: { entry: MessageEntry }) {
  if (entry.kind === 'thinking') return <Thinking entry={entry} />;
  return (
    <div>
      <Words entry={entry} />
      {entry.incomplete && <p className={styles.broken}>Interrupted</p>}
    </div>
  );
}

function Thinking({ entry }: { entry: MessageEntry }) {
  const { cursor, text, open } = entry;
  const hint = text.trimStart().slice(0, 160).split('\n')[0] ?? '';
  return (
    <Collapsible
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
      {text !== '' && <Words entry={entry} />}
    </Collapsible>
  );
}

function Words({ entry: { cursor, text } }: { entry: MessageEntry }) {
  const [isWhole, showWhole] = useUnfolded(`words ${cursor}`, false);
  const shown = isWhole ? text : firstLines(text, MOST);
  return (
    <>
      <Markdown text={shown} />
      {text.length > shown.length && (
        <Button small look="quiet" icon="chevronDown" onClick={() => showWhole(true)}>
          Show all {bytes(text.length)}
        </Button>
      )}
    </>
  );
}
