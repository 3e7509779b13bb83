import { useState } from 'react';
import { complain } from '../data/attempt.ts';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { isComposing } from '../design/keyboard-events.ts';
import { sessionTitle } from '../text/session-title.ts';
import { useSession } from './feed/open-session.tsx';
import styles from './session-header.module.css';

type Props = { isEdited: boolean; onEdit: (isEdited: boolean) => void };

/** The title of the session; a click lets members change it. */
export function EditableTitle({ isEdited, onEdit }: Props) {
  const may = useMay('member');
  const session = useSession();
  const shown = sessionTitle(session);
  if (isEdited) return <TitleField onDone={() => onEdit(false)} />;
  return (
    <h1 className={`cut-line ${styles.title}`} dir="auto" title={shown}>
      {may ? (
        <button
          type="button"
          className={`cut-line ${styles.edit}`}
          aria-label={`Edit title: ${shown}`}
          onClick={() => onEdit(true)}
        >
          {shown}
        </button>
      ) : (
        shown
      )}
    </h1>
  );
}

function TitleField({ onDone }: { onDone: () => void }) {
  const { client } = useDaemon();
  const session = useSession();
  const [text, setText] = useState(session.title);
  const save = () => {
    onDone();
    const title = text.trim();
    if (title === '' || title === session.title) return;
    client.sessions
      .patch(session.session_id, { title })
      .then(() => makeStale('sessions'), complain);
  };
  return (
    <input
      className={styles.titleInput}
      aria-label="Session title"
      value={text}
      // biome-ignore lint/a11y/noAutofocus: somebody asked for it
      autoFocus
      dir="auto"
      onChange={({ target }) => setText(target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent)) return;
        if (event.key === 'Enter') save();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onDone();
      }}
    />
  );
}
