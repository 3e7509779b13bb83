import { useState } from 'react';
import { complain } from '../data/attempt.ts';
import { useDaemon, useMay } from '../data/daemon.tsx';
import { makeStale } from '../data/queries.ts';
import { isComposing } from '../shell/keys.ts';
import { useSession } from './open-session.tsx';
import styles from './session-header.module.css';

/** The title of the session; a click lets members change it. */
export function EditableTitle() {
  const { client } = useDaemon();
  const may = useMay('member');
  const session = useSession();
  const [text, setText] = useState<string>();
  const shown = session.title || session.cwd;
  if (text === undefined) {
    return (
      <h1 className={styles.title} dir="auto" title={shown}>
        {may ? (
          <button
            type="button"
            className={styles.edit}
            aria-label={`Change the title: ${shown}`}
            onClick={() => setText(session.title)}
          >
            {shown}
          </button>
        ) : (
          shown
        )}
      </h1>
    );
  }
  const save = () => {
    setText(undefined);
    const title = text.trim();
    if (title === '' || title === session.title) return;
    client.sessions
      .patch(session.session_id, { title })
      .then(() => makeStale('sessions'), complain);
  };
  return (
    <input
      className={styles.titleInput}
      aria-label="Title of the session"
      value={text}
      // biome-ignore lint/a11y/noAutofocus: a click asked for it
      autoFocus
      dir="auto"
      onChange={({ target }) => setText(target.value)}
      onBlur={save}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent)) return;
        if (event.key === 'Enter') save();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        setText(undefined);
      }}
    />
  );
}
