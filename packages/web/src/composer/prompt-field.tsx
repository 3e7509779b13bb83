import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { isComposing } from '../design/keyboard-events.ts';
import { directionOf } from '../text/direction.ts';
import { type Completion, useCompletion } from './completion.tsx';
import styles from './composer.module.css';
import { filesOf } from './files-of.ts';

type Props = {
  field: RefObject<HTMLTextAreaElement | null>;
  label: string;
  placeholder: string;
  text: string;
  onWrite: (text: string) => void;
  onSubmit: () => void;
  /** Called with pasted files. */
  onFiles: (files: readonly File[]) => void;
  completions: readonly Completion[];
  rows: number;
  disabled?: boolean | undefined;
};

/** A longer text scrolls inside the field: measuring all of it at every key press would be slow. */
const LONG = 5000;

/** A field that grows with its text, completes words, and sends with Enter. */
export function PromptField(props: Props) {
  const { field, label, placeholder, text, onWrite, onSubmit, onFiles } = props;
  const { completions, rows, disabled } = props;
  const isLong = text.length > LONG;
  const beginning = text.slice(0, LONG);
  const { caret, setCaret, moveTo } = useCaret(field);
  const { onKey, aria, list } = useCompletion({
    text,
    caret,
    completions,
    onComplete: (next, at) => {
      onWrite(next);
      moveTo(at);
    },
  });
  return (
    <div className={styles.field}>
      {list}
      <div className={styles.grow} data-text={`${beginning}\n`} data-long={isLong || undefined}>
        <textarea
          {...aria}
          ref={field}
          className={styles.text}
          aria-label={label}
          placeholder={placeholder}
          value={text}
          rows={rows}
          dir={isLong ? directionOf(beginning) : 'auto'}
          disabled={disabled}
          onChange={({ target }) => {
            onWrite(target.value);
            setCaret(target.selectionStart);
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onPaste={(event) => {
            const pasted = filesOf(event.clipboardData);
            if (pasted.length === 0) return;
            event.preventDefault();
            onFiles(pasted);
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
            onSubmit();
          }}
        />
      </div>
    </div>
  );
}

/** The position of the caret in a field, and a function that moves it after the next change of the text. */
function useCaret(field: RefObject<HTMLTextAreaElement | null>) {
  const [caret, setCaret] = useState(0);
  const wanted = useRef<number>(undefined);
  // In a layout effect: a later one would move the caret back while the user types on.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    field.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = undefined;
  });
  const moveTo = (place: number) => {
    wanted.current = place;
    setCaret(place);
  };
  return { caret, setCaret, moveTo };
}
