import { oneLine, style } from './style.ts';
import { textWidth } from './text-width.ts';

type Format = Parameters<typeof style>[1];
export type Cell = string | { text: string; format: Format };

const GAP = '  ';
const LEAST = 4;

/** A table with one line per row; at a terminal the widest columns are cut until the table fits. */
export function tableText(
  out: NodeJS.WriteStream,
  heads: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const head = heads.map((text): Cell => ({ text, format: 'dim' }));
  const lines = [head, ...rows].map((row) => row.map(plain));
  const widths = fittedWidths(
    heads.map((_, column) => Math.max(...lines.map((row) => textWidth(row[column]?.text ?? '')))),
    out.isTTY ? out.columns || 80 : Number.POSITIVE_INFINITY,
  );
  return lines.map((row) => `${lineOf(out, row, widths)}\n`).join('');
}

function lineOf(
  out: NodeJS.WriteStream,
  row: readonly { text: string; format?: Format }[],
  widths: readonly number[],
): string {
  const cells = row.map(({ text, format }, column) => {
    const width = widths[column] ?? 0;
    const shown = oneLine(text, width);
    const room = column === row.length - 1 ? '' : ' '.repeat(width - textWidth(shown));
    return `${format === undefined ? shown : style(out, format, shown)}${room}`;
  });
  return cells.join(GAP).trimEnd();
}

function fittedWidths(widths: readonly number[], columns: number): number[] {
  const fitted = [...widths];
  const total = () => fitted.reduce((sum, width) => sum + width, GAP.length * (fitted.length - 1));
  while (total() > columns) {
    const widest = fitted.indexOf(Math.max(...fitted));
    const width = fitted[widest] ?? 0;
    if (width <= LEAST) break;
    fitted[widest] = width - 1;
  }
  return fitted;
}

function plain(cell: Cell): { text: string; format?: Format } {
  const { text, format } = typeof cell === 'string' ? { text: cell, format: undefined } : cell;
  const flat = oneLine(text, Number.POSITIVE_INFINITY);
  return format === undefined ? { text: flat } : { text: flat, format };
}
