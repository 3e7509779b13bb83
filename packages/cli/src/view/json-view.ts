import type { View } from './view.ts';

/** One event per line on standard output, for machines. */
export function jsonView(): View {
  return { show: (event) => void process.stdout.write(`${JSON.stringify(event)}\n`) };
}
