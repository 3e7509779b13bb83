import { type ReactNode, useEffect, useRef, useState } from 'react';
import { troubleOf } from '../data/attempt.ts';
import { Button } from '../design/button.tsx';
import { Trouble } from '../design/trouble.tsx';
import { isComposing } from '../shell/keys.ts';
import { AttachButton } from './attach-button.tsx';
import { type Completion, useCompletion } from './completion.tsx';
import styles from './composer.module.css';
import type { Draft } from './draft.ts';
import { FileList } from './file-list.tsx';
import { filesOf } from './files-of.ts';
import { fittingFiles } from './fitting-files.ts';
import { takeFocus } from './take-focus.ts';
import { useCaret } from './use-caret.ts';
import { useDraft } from './use-draft.ts';
import { useWriteKey } from './write-key.ts';

type Props = {
  label: string;
  placeholder: string;
  /** By which what was begun is kept while other views are looked at. */
  draftKey: string;
  /** The words on the button that sends. */
  send: string;
  /** Those words where files change what sending does. */
  sendWithFiles?: string | undefined;
  /** Sends it; what is thrown is shown, and nothing that was written is lost. */
  onSend: (draft: Draft) => Promise<void>;
  completions?: readonly Completion[];
  /** What can be chosen along with it, below the text. */
  choices?: ReactNode;
  /** Beside the button that sends. */
  actions?: ReactNode;
  disabled?: boolean;
  /** Whether writing is what people come for. */
  autoFocus?: boolean;
  rows?: number;
};

const NONE: readonly Completion[] = [];
/** What is longer scrolls in its field: to measure all of it at every key would take long. */
const LONG = 5000;

/** Where people write what an agent shall do. */
export function Composer(props: Props) {
  const { label, placeholder, draftKey, send, onSend, completions = NONE } = props;
  const { sendWithFiles = send, choices, actions, disabled, autoFocus, rows = 1 } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, write, files, attach } = useDraft(draftKey);
  const { caret, setCaret, moveTo } = useCaret(field);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  useWriteKey(field);
  useEffect(() => {
    if (autoFocus && field.current) takeFocus(field.current);
  }, [autoFocus]);
  const { onKey, aria, list } = useCompletion({
    text,
    caret,
    completions,
    onComplete: (next, at) => {
      write(next);
      moveTo(at);
    },
  });
  const isEmpty = text.trim() === '';
  const submit = async () => {
    if (isEmpty || isSending || disabled) return;
    setSending(true);
    setError(undefined);
    try {
      await onSend({ text, files });
      write('');
      attach([]);
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(false);
      if (field.current) takeFocus(field.current);
    }
  };
  const add = (more: readonly File[]) => {
    const { files: fitting, refusal } = fittingFiles(files, more);
    attach(fitting);
    setError(refusal);
  };
  return (
    <form
      className={styles.composer}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const dropped = filesOf(event.dataTransfer);
        if (dropped.length === 0) return;
        event.preventDefault();
        add(dropped);
      }}
    >
      {list}
      <div
        className={styles.grow}
        data-text={`${text.slice(0, LONG)}\n`}
        data-long={text.length > LONG || undefined}
      >
        <textarea
          {...aria}
          ref={field}
          className={styles.text}
          aria-label={label}
          placeholder={placeholder}
          value={text}
          rows={rows}
          dir="auto"
          disabled={disabled}
          onChange={({ target }) => {
            write(target.value);
            setCaret(target.selectionStart);
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onPaste={(event) => {
            const pasted = filesOf(event.clipboardData);
            if (pasted.length === 0) return;
            event.preventDefault();
            add(pasted);
          }}
          onKeyDown={(event) => {
            if (isComposing(event.nativeEvent) || onKey(event)) return;
            if (event.key === 'Escape') {
              // First it leaves the text to the keys of the view; once more is for the view.
              event.preventDefault();
              event.currentTarget.blur();
            }
            if (event.key !== 'Enter' || event.shiftKey) return;
            event.preventDefault();
            submit();
          }}
        />
      </div>
      <FileList files={files} onChange={attach} />
      {error !== undefined && <Trouble {...troubleOf(error)} />}
      <div className={styles.foot}>
        <div className={styles.choices}>
          <AttachButton disabled={disabled} onFiles={add} />
          {choices}
        </div>
        <div className={styles.actions}>
          {actions}
          <Button
            look="primary"
            type="submit"
            icon="send"
            busy={isSending}
            disabled={isEmpty || disabled}
          >
            {files.length > 0 ? sendWithFiles : send}
          </Button>
        </div>
      </div>
    </form>
  );
}
