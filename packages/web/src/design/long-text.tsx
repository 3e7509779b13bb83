import { useMemo, useState } from 'react';
import { some } from '../text/amounts.ts';
import { firstPart } from '../text/first-part.ts';
import { Button } from './button.tsx';
import styles from './long-text.module.css';

/** So much text is added each time that somebody wants to see more: a browser takes long to draw it. */
const PIECE = 100_000;

/** A command or an input to judge: where it is long, its beginning, how much more there is, and the way to see it. */
export function LongText({ text }: { text: string }) {
  const [most, showMost] = useState(0);
  const first = useMemo(() => firstPart(text), [text]);
  const { shown, more } = most === 0 ? first : partOf(text, most);
  return (
    <div className={styles.long} dir="ltr">
      <pre className="program-text">{shown}</pre>
      {more && (
        <Button small look="quiet" icon="chevronDown" onClick={() => showMost(most + PIECE)}>
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

function partOf(text: string, most: number): ReturnType<typeof firstPart> {
  if (text.length <= most) return { shown: text };
  return { shown: text.slice(0, most), more: some(text.length - most, 'more character') };
}
