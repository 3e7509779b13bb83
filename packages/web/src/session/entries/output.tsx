import { plainOutput } from '@baton/protocol';
import { memo, useMemo, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { bytes } from '../../text/amounts.ts';
import { useUnfolded } from '../feed/open-session.tsx';
import styles from './output.module.css';
import { hiddenWords, previewOf } from './output-preview.ts';

/** Characters that are added each time the user asks for more. */
const PIECE = 60_000;

type Props = {
  place: string;
  text: string;
  /** Number of characters in the middle that are not loaded. */
  cut?: number | undefined;
};

/** The output of a program or tool: its ends at first, all of it on demand. */
export const Output = memo(function Output({ place, text, cut }: Props) {
  const [isWhole, showWhole] = useUnfolded(place, false);
  const preview = useMemo(() => previewOf(text), [text]);
  if (text.trim() === '') return null;
  return (
    <div className={styles.output} dir="ltr">
      <span className={styles.copy}>
        <CopyButton text={() => plainOutput(text)} label="Copy output" />
      </span>
      {isWhole ? <Whole text={text} /> : <pre className="program-text">{preview.first}</pre>}
      {preview.hidden && (
        // One button for both, so that it keeps the focus.
        <Button
          small
          look="quiet"
          icon={isWhole ? undefined : 'chevronDown'}
          onClick={() => showWhole(!isWhole)}
        >
          {isWhole ? 'Show less' : hiddenWords(preview.hidden, { here: text.length, cut })}
        </Button>
      )}
      {!isWhole && preview.last && <pre className="program-text">{preview.last}</pre>}
      {cut !== undefined && cut > 0 && (
        <p className={styles.cut}>
          {bytes(cut)} in the middle are omitted here; the session log has everything.
        </p>
      )}
    </div>
  );
});

function Whole({ text }: { text: string }) {
  const [length, setLength] = useState(PIECE);
  const pieces = useMemo(() => piecesOf(text, length), [text, length]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.whole} tabIndex={0} aria-label="Output" data-focus-home="">
      {pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no name, and none moves
        <pre key={index} className={`program-text ${styles.piece}`}>
          {piece}
        </pre>
      ))}
      {text.length > length && (
        <Button small look="quiet" onClick={() => setLength(length + 4 * PIECE)}>
          Show more of {bytes(text.length)}
        </Button>
      )}
    </section>
  );
}

/** Splits a text into pieces of a few thousand characters: the browser only lays out the visible ones. */
function piecesOf(text: string, length: number): string[] {
  const plain = plainOutput(text.slice(0, length));
  const pieces: string[] = [];
  for (let start = 0; start < plain.length; ) {
    const near = plain.indexOf('\n', start + 4000);
    const end = near === -1 || near > start + 8000 ? start + 8000 : near + 1;
    pieces.push(plain.slice(start, end));
    start = end;
  }
  return pieces;
}
