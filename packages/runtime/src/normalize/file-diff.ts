/** So many lines before and after a change are told with it. */
const CONTEXT = 3;

/** A unified diff of one hunk, from the first to the last line in which two versions of a file differ. */
export function fileDiff(before: string, after: string): string {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const head = commonLength(old, fresh);
  const tail = commonLength(old.slice(head).reverse(), fresh.slice(head).reverse());
  const start = Math.max(head - CONTEXT, 0);
  const leftOut = Math.max(tail - CONTEXT, 0);
  const signed = [
    ...old.slice(start, head).map((line) => ` ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - leftOut).map((line) => ` ${line}`),
  ];
  const range = (length: number) => {
    const count = length - leftOut - start;
    return `${count === 0 ? start : start + 1},${count}`;
  };
  return [`@@ -${range(old.length)} +${range(fresh.length)} @@\n`, ...signed.map(ended)].join('');
}

/** The lines of a text, each with its end. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function ended(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`;
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const differing = one.findIndex((line, index) => line !== other[index]);
  return differing === -1 ? one.length : differing;
}
