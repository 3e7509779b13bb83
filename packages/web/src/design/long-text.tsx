import { useMemo, useState } from 'react';
import { firstPart, partOf, pieceOf } from '../text/first-part.ts';
import { Button } from './button.tsx';
import { LeftToRight } from './literal-text.tsx';
import styles from './long-text.module.css';

/** A command or an input to judge: where it is long, its beginning, how much more there is, and the way to see it. */
export function LongText({ text }: { text: string }) {
  const [most, showMost] = useState(0);
  const first = useMemo(() => firstPart(text), [text]);
  const { shown, more } = most === 0 ? first : partOf(text, most);
  return (
    <div className={styles.long} dir="ltr" data-focus-home="button">
      <pre className="program-text">
        <LeftToRight text={shown} />
      </pre>
      {more && (
        <Button
          small
          look="quiet"
          icon="chevronDown"
          onClick={() => showMost(shown.length + pieceOf(text))}
        >
          Show {more}
        </Button>
      )}
      {most > 0 && (
        <Button small look="quiet" onClick={() => showMost(0)}>
          Show less
        </Button>
      )}
    </div>
  );
}
