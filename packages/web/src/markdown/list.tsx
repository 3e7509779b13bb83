import type { Tokens as Marked } from 'marked';
import styles from './markdown.module.css';
import { Tokens } from './tokens.tsx';

/** A list, also one of things to do. */
export function List({ list: { ordered, start, items } }: { list: Marked.List }) {
  const shown = items.map(({ task, checked, tokens }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no name, and none moves
    <li key={index} dir="auto" className={task ? styles.task : undefined}>
      {task && (
        <input type="checkbox" checked={checked ?? false} readOnly disabled aria-label="Done" />
      )}
      {task ? (
        <div>
          <Tokens tokens={tokens} />
        </div>
      ) : (
        <Tokens tokens={tokens} />
      )}
    </li>
  ));
  return ordered ? <ol start={start === '' ? 1 : start}>{shown}</ol> : <ul>{shown}</ul>;
}
