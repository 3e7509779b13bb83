export type Row = readonly (string | undefined)[];

/** A table of the documentation. */
export function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) =>
    `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
