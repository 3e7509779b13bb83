/** A unified hunk that replaces one text by another; lines both begin or end with are context. */
export function replacementDiff(before: string, after: string, line = 1): string {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const head = commonLength(old, fresh);
  const tail = commonLength(old.slice(head).reverse(), fresh.slice(head).reverse());
  const oldEnd = old.length - tail;
  const body = [
    ...old.slice(0, head).map((text) => ` ${text}`),
    ...old.slice(head, oldEnd).map((text) => `-${text}`),
    ...fresh.slice(head, fresh.length - tail).map((text) => `+${text}`),
    ...old.slice(oldEnd).map((text) => ` ${text}`),
  ];
  const header = `@@ -${range(line, old.length)} +${range(line, fresh.length)} @@`;
  return `${[header, ...body].join('\n')}\n`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const limit = Math.min(a.length, b.length);
  for (let index = 0; index < limit; index += 1) if (a[index] !== b[index]) return index;
  return limit;
}

function range(line: number, count: number): string {
  return `${count === 0 ? 0 : line},${count}`;
}
