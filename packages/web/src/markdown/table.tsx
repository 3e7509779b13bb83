import type { Tokens as Marked } from 'marked';
import styles from './markdown.module.css';
import { Tokens } from './tokens.tsx';

/** A table, which scrolls on its own when it is wide. */
export function Table({ table: { header, rows } }: { table: Marked.Table }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={styles.table} tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>{header.map((cell, index) => cellOf(cell, index))}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name, and none moves
            <tr key={index}>{row.map((cell, column) => cellOf(cell, column))}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function cellOf({ tokens, align, header }: Marked.TableCell, column: number) {
  const Cell = header ? 'th' : 'td';
  return (
    <Cell key={column} data-align={align ?? undefined} dir="auto">
      <Tokens tokens={tokens} />
    </Cell>
  );
}
